# SPDX-License-Identifier: Apache-2.0
"""test_minio_clients.py - what a grant gives, in the hands of clients that others wrote: curl and awscli."""
import hashlib
import re
import subprocess

import pytest

from rig.keys import MODES, VERBS
from rig.store import MinioStore

pytestmark = pytest.mark.minio


@pytest.fixture(scope="module")
def shop(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def client(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]}).client()


class Curl:
    """curl signs what it sends; keys go by its standard input."""

    size = (5 << 20) + 1  # a part that is not the last has 5 MiB at least

    def __init__(self, access, folder):
        self.access, self.folder = access, folder

    def _ask(self, method, path, body=b""):
        sent, self.answer, self.head = (self.folder / x for x in ("sent", "answer", "head"))
        sent.write_bytes(body)
        done = subprocess.run(
            ["curl", "-sS", "-K", "-", "-m", "30", "--noproxy", "*", "-X", method, "-o", self.answer,
             "-D", self.head,
             "-w", "%{http_code}", "--aws-sigv4", f"aws:amz:{self.access.region}:s3",
             "-H", f"x-amz-content-sha256: {hashlib.sha256(body).hexdigest()}",
             *(["--data-binary", f"@{sent}"] if body else []), self.access.endpoint + path],
            input=f'user = "{self.access.key}:{self.access.secret}"\n', text=True,
            capture_output=True, check=True)
        return int(done.stdout)

    def list(self, bucket):
        return self._ask("GET", f"/{bucket}?list-type=2")

    def get(self, bucket):
        return self._ask("GET", f"/{bucket}/object")

    def put(self, bucket):
        return self._ask("PUT", f"/{bucket}/fresh", b"content")

    def multipart(self, bucket):
        """Begin, two parts, complete."""
        status = self._ask("POST", f"/{bucket}/big?uploads=")
        if status != 200:
            return status
        upload = re.search("<UploadId>(.+)</UploadId>", self.answer.read_text())[1]
        done = ""
        for number, part in enumerate((bytes(self.size - 1), b"x"), 1):
            query = f"partNumber={number}&uploadId={upload}"
            assert self._ask("PUT", f"/{bucket}/big?{query}", part) == 200
            etag = re.search('etag: (".+")', self.head.read_text(), re.I)[1]
            done += f"<Part><PartNumber>{number}</PartNumber><ETag>{etag}</ETag></Part>"
        return self._ask("POST", f"/{bucket}/big?uploadId={upload}",
                         f"<CompleteMultipartUpload>{done}</CompleteMultipartUpload>".encode())

    def remove(self, bucket):
        return self._ask("DELETE", f"/{bucket}/fresh")


class Awscli:
    """Debian's aws; the status is 200 when it says that all went well, 403 when it was denied."""

    size = 9 << 20  # it sends more than 8 MiB in parts

    def __init__(self, access, folder):
        self.folder = folder
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "AWS_PAGER": "",
                    "AWS_ACCESS_KEY_ID": access.key, "AWS_SECRET_ACCESS_KEY": access.secret,
                    "AWS_DEFAULT_REGION": access.region, "AWS_EC2_METADATA_DISABLED": "true",
                    "LANG": "C.UTF-8"}
        self.endpoint = access.endpoint

    def _run(self, *words):
        done = subprocess.run(["/usr/bin/aws", "--endpoint-url", self.endpoint, *words],
                              env=self.env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode == 0:
            return 200
        denied = any(w in done.stderr for w in ("AccessDenied", "(403)", "InvalidAccessKeyId"))
        return 403 if denied else done.stderr

    def list(self, bucket):
        return self._run("s3", "ls", f"s3://{bucket}/")

    def get(self, bucket):
        return self._run("s3", "cp", f"s3://{bucket}/object", str(self.folder / "got"))

    def put(self, bucket):
        (self.folder / "small").write_bytes(b"content")
        return self._run("s3", "cp", str(self.folder / "small"), f"s3://{bucket}/fresh")

    def multipart(self, bucket):
        (self.folder / "big").write_bytes(bytes(self.size))
        return self._run("s3", "cp", str(self.folder / "big"), f"s3://{bucket}/big")

    def remove(self, bucket):
        return self._run("s3", "rm", f"s3://{bucket}/fresh")


@pytest.mark.parametrize("mode", filter(None, MODES))
@pytest.mark.parametrize("kind", [Curl, Awscli])
def test_client__does_what_the_mode_says(client, shop, folder, name, kind, mode):
    bucket, _ = client.create(name), client.create(f"{name}-other")
    for made in (name, f"{name}-other"):
        shop.fill(made)
    access = client.grant(bucket, f"ba-{name}", mode)
    tool = kind(access, folder)
    for verb in VERBS:
        status = getattr(tool, verb)(name)
        assert status in ((200, 204) if verb in MODES[mode] else (403,)), verb
    assert tool.get(f"{name}-other") == 403 and tool.put(f"{name}-other") == 403
    if "multipart" in MODES[mode]:
        found = shop.root.request("HEAD", f"/{name}/big").headers
        assert int(found["content-length"]) == kind.size and found["etag"].endswith('-2"'), "two parts"
    client.revoke(access.account_id, bucket)
    assert tool.list(name) == 403 and tool.put(name) == 403
