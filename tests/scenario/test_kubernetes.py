# SPDX-License-Identifier: Apache-2.0
"""test_kubernetes.py - the objects of docs/kubernetes.md are what the APIs take, and cosid does what they ask."""
import re
import subprocess

import pytest
import yaml

from rig.client import refused
from rig.store import CephRgw, MinioStore, Posix
from rig.tree import ROOT

PAGE = (ROOT / "docs" / "kubernetes.md").read_text()
OBJECTS = [made for block in re.findall(r"```yaml\n(.*?)```", PAGE, re.S) for made in yaml.safe_load_all(block)]
# (version, kind): where the fields stand, those that must, those that may.  From COSI's Go types.
SHAPES = {
    ("v1alpha1", "BucketClass"): ("", "driverName deletionPolicy", "parameters"),
    ("v1alpha1", "BucketAccessClass"): ("", "driverName authenticationType", "parameters"),
    ("v1alpha1", "BucketClaim"): ("spec", "protocols", "bucketClassName existingBucketName"),
    ("v1alpha1", "BucketAccess"): ("spec", "bucketClaimName bucketAccessClassName credentialsSecretName protocol",
                                   "serviceAccountName"),
    ("v1alpha1", "Bucket"): ("spec", "driverName bucketClassName bucketClaim protocols deletionPolicy",
                             "parameters existingBucketID"),
    ("v1alpha2", "BucketClass"): ("spec", "driverName deletionPolicy", "parameters"),
    ("v1alpha2", "BucketAccessClass"): ("spec", "driverName authenticationType",
                                        "parameters disallowedBucketAccessModes multiBucketAccess"),
    ("v1alpha2", "BucketClaim"): ("spec", "", "bucketClassName existingBucketName protocols"),
    ("v1alpha2", "BucketAccess"): ("spec", "bucketClaims bucketAccessClassName protocol", "serviceAccountName"),
    ("v1alpha2", "Bucket"): ("spec", "driverName bucketClaimRef deletionPolicy",
                             "parameters protocols existingBucketID"),
}
WORDS = {"deletionPolicy": ("Delete", "Retain"), "authenticationType": ("Key",), "protocols": (["S3"],),
         "protocol": ("S3",), "driverName": ("cosid.example.org",)}


def fields(made):
    """What is asked for, wherever that API has it."""
    if "spec" in made:
        return made["spec"]
    return {k: v for k, v in made.items() if k not in ("apiVersion", "kind", "metadata")}


def version(made):
    group, _, found = made["apiVersion"].partition("/")
    return found if group == "objectstorage.k8s.io" else None


def of_kind(kind):
    found = [o for o in OBJECTS if o["kind"] == kind and version(o)]
    assert {version(o) for o in found} == {"v1alpha1", "v1alpha2"}, kind
    return found


def test_objects__have_the_fields_of_their_api():
    for made in OBJECTS:
        if not version(made):
            continue
        place, must, may = SHAPES[version(made), made["kind"]]
        assert ("spec" in made) == (place == "spec"), made
        found = set(fields(made))
        assert set(must.split()) <= found <= set((must + " " + may).split()), made
        for key, words in WORDS.items():
            assert fields(made).get(key, words[0]) in words, made
        for value in (fields(made).get("parameters") or {}).values():
            assert isinstance(value, str), made


def test_access__to_several_claims_has_a_class_that_allows_it():
    """The controller of v1alpha2 refuses others, and then they cannot even be deleted."""
    several = [o for o in of_kind("BucketAccess") if len(fields(o).get("bucketClaims", ())) > 1]
    assert several
    for access in several:
        access_class = named(version(access), "BucketAccessClass", fields(access)["bucketAccessClassName"])
        assert access_class.get("multiBucketAccess") == "MultipleBuckets"


def test_deployment__mounts_the_directory_of_the_default_socket(build):
    described = subprocess.run([build / "bin" / "cosid", "--describe"], capture_output=True, text=True, check=True)
    endpoint = re.search(r"^daemon - endpoint string (\S+)", described.stdout, re.M)[1]
    folder = endpoint.removeprefix("unix://").rpartition("/")[0]
    pod = next(o for o in OBJECTS if o["kind"] == "Deployment")["spec"]["template"]["spec"]
    assert pod["volumes"][0]["hostPath"] == {"path": folder, "type": "Directory"}
    seen = {}
    for container in pod["containers"]:
        assert container["volumeMounts"][0]["mountPath"] == folder
        seen[container["image"].partition(":")[2]] = container["env"]
    assert seen == {"v0.2.2": [{"name": "DRIVER_ADDR", "value": endpoint}],
                    "v1alpha2": [{"name": "COSI_ENDPOINT", "value": endpoint}]}


def test_table__says_which_store_has_which_parameter(build):
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in PAGE.splitlines()
            if line.startswith("| parameter |") or re.match(r"\| `\w+` \| (buckets|access)", line)]
    head, rows = rows[0], rows[1:]
    for column, module in list(enumerate(head))[3:]:
        told = {row[0].strip("`") for row in rows if row[column] == "yes"} - {"backend", "accessMode"}
        described = subprocess.run([build / "bin" / "cosid", "--describe", build / "modules" / f"{module}.so"],
                                   capture_output=True, text=True, check=True).stdout
        assert told == set(re.findall(r"^(?:common|bucket|access) (\w+) ", described, re.M)), module


@pytest.fixture
def stores(rgw, minio, folder):
    return {"rgw-east": CephRgw(rgw), "minio-1": MinioStore(minio), "files": Posix(folder / "root")}


@pytest.fixture
def daemon(cosid, stores):
    return cosid({"backends": [store.backend(name) for name, store in stores.items()], "default_backend": "files"})


def test_classes__are_served(daemon, stores):
    for number, made in enumerate(of_kind("BucketClass")):
        client, parameters = daemon.client(version(made)), fields(made).get("parameters")
        bucket = client.create(f"of-the-page-{number}", parameters)
        backend, _, native = bucket.partition(".")
        assert backend == parameters["backend"] and stores[backend].exists(native)
        for access_class in of_kind("BucketAccessClass"):
            if version(access_class) == version(made):
                access = client.grant(bucket, f"of-the-page-{number}", params=fields(access_class).get("parameters"))
                client.revoke(access.account_id, bucket)
        client.delete(bucket, parameters)
        assert not stores[backend].exists(native)


def named(api, kind, name):
    """The fields of the one object of the page that has this name."""
    found = [o for o in OBJECTS if version(o) == api and o["kind"] == kind and o["metadata"]["name"] == name]
    assert len(found) == 1, (api, kind, name)
    return fields(found[0])


def claims_of(access):
    """{claim: the mode that v1alpha2 asks for}"""
    words = {"ReadOnly": "readOnly", "ReadWrite": "readWrite", "WriteOnly": "writeOnly"}
    if version(access) == "v1alpha1":
        return {fields(access)["bucketClaimName"]: None}
    return {c["bucketClaimName"]: words[c["accessMode"]] for c in fields(access)["bucketClaims"]}


def grant_request(client, access, ids):
    """What a sidecar asks for an access, its claims' buckets in ids."""
    access_class = named(client.dialect, "BucketAccessClass", fields(access)["bucketAccessClassName"])
    name, params, modes = access["metadata"]["name"], access_class.get("parameters"), claims_of(access)
    asked = [client.grant_fields(ids[claim], f"ba-{name}", mode, params) for claim, mode in modes.items()]
    method, request = asked[0]
    if client.dialect == "v1alpha2":
        request["buckets"] = [bucket for _, one in asked for bucket in one["buckets"]]
    return method, request


def test_accesses__open_the_new_buckets_of_their_claims(daemon, stores):
    claimed = set()
    for access in of_kind("BucketAccess"):
        client, ids, classes = daemon.client(version(access)), {}, {}
        for claim in claims_of(access):
            asked = named(client.dialect, "BucketClaim", claim)
            classes[claim] = named(client.dialect, "BucketClass", asked["bucketClassName"])["parameters"]
            ids[claim] = client.create(f"claimed-{claim}", classes[claim])
            claimed.add((client.dialect, claim))
        method, request = grant_request(client, access, ids)
        granted = client.access(client.call(method, **request)).account_id
        backend, _, native = granted.partition(".")
        assert native in stores[backend].accounts()
        for bucket in ids.values():
            client.revoke(granted, bucket)
        assert native not in stores[backend].accounts()
        for claim, bucket in ids.items():
            client.delete(bucket, classes[claim])
    assert claimed == {(version(o), o["metadata"]["name"]) for o in of_kind("BucketClaim")
                       if "bucketClassName" in fields(o)}


def test_buckets__that_exist_already(daemon, stores):
    for made in of_kind("Bucket"):
        client, asked = daemon.client(version(made)), fields(made)["existingBucketID"]
        backend, _, native = asked.partition(".")
        stores[backend].make_foreign(native)
        assert version(made) == "v1alpha2" or made["metadata"]["name"] == native
        for name in (asked, native):
            if version(made) == "v1alpha2":
                assert client.get(name).bucket_id == asked
            access = client.grant(name, f"of-the-page-{native}")
            client.revoke(access.account_id, name)
            with refused("FAILED_PRECONDITION"):
                client.delete(name)
        assert stores[backend].root.drop(native).status == 204
