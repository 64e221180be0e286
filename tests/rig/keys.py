# SPDX-License-Identifier: Apache-2.0
"""keys.py - what a key of an S3 store opens: the verbs to try, and those of each mode."""


def multipart(key, bucket):
    """Begin, a part, complete."""
    begun = key.request("POST", f"/{bucket}/big", {"uploads": ""})
    if begun.status != 200:
        return False
    upload = begun.texts("UploadId")[0]
    part = key.request("PUT", f"/{bucket}/big", {"partNumber": "1", "uploadId": upload}, body=b"x")
    body = ("<CompleteMultipartUpload><Part><PartNumber>1</PartNumber>"
            f"<ETag>{part.headers['etag']}</ETag></Part></CompleteMultipartUpload>").encode()
    return key.request("POST", f"/{bucket}/big", {"uploadId": upload}, body=body).status == 200


VERBS = {
    "list": lambda key, bucket: key.list(bucket).status == 200,
    "get": lambda key, bucket: key.get(bucket, "object").status == 200,
    "put": lambda key, bucket: key.put(bucket, "fresh").status == 200,
    "multipart": multipart,
    "remove": lambda key, bucket: key.remove(bucket, "fresh").status == 204,
}
MODES = {"readWrite": set(VERBS), "readOnly": {"list", "get"}, "writeOnly": {"put", "multipart"},
         None: set(VERBS)}


def may(key, bucket, verb):
    """Does the store let this key do that?"""
    return VERBS[verb](key, bucket)
