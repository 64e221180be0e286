# SPDX-License-Identifier: Apache-2.0
"""test_kubernetes.py - the objects of docs/kubernetes.md are what the APIs take, and cosid does what they ask."""
import json
import os
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
    """The fields of the request, in "spec" or at the top, as the API version has them."""
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


def of_type(kind, **metadata):
    """The one object of that kind that has this in its metadata."""
    found = [o for o in OBJECTS if o["kind"] == kind and metadata.items() <= o["metadata"].items()]
    assert len(found) == 1, (kind, metadata)
    return found[0]


def test_names__are_what_an_api_server_takes():
    label = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
    for made in OBJECTS:
        for name in (made["metadata"]["name"], made["metadata"].get("namespace", "x")):
            assert label.fullmatch(name), made


# What each component does with COSI's objects and others; the sidecar of v1alpha2 caches Secrets.
SIDECAR = {"objectstorage.k8s.io": {
    "buckets": "create get update delete list watch", "bucketclaims": "get update list watch",
    "bucketaccesses": "get update list watch", "bucketaccessclasses": "get list watch",
    "buckets/status": "update", "bucketclaims/status": "update", "bucketaccesses/status": "update"},
    "coordination.k8s.io": {"leases": "create get update"},
    "": {"secrets": "create get update delete list watch", "events": "create update list watch"}}
USER = {"objectstorage.k8s.io": {"bucketclaims": "create get delete list watch", "bucketaccesses": "create get delete list watch"}}


@pytest.mark.parametrize("role, needed", [("cosid-sidecar", SIDECAR), ("cosi-user", USER)])
def test_role__permits_what_is_needed(role, needed):
    rules = of_type("ClusterRole", name=role)["rules"]
    for group, resources in needed.items():
        for resource, verbs in resources.items():
            permitted = {verb for rule in rules if group in rule["apiGroups"] and resource in rule["resources"] for verb in rule["verbs"]}
            assert set(verbs.split()) <= permitted, resource
    if role == "cosi-user":
        assert {r for rule in rules for r in rule["resources"]} == set(USER["objectstorage.k8s.io"]), "buckets and classes are not the users'"


def test_role__is_the_deployments():
    deployment, binding = of_type("Deployment"), of_type("ClusterRoleBinding")
    account = {"kind": "ServiceAccount", "namespace": deployment["metadata"]["namespace"],
               "name": deployment["spec"]["template"]["spec"]["serviceAccountName"]}
    assert binding["subjects"] == [account] and binding["roleRef"]["name"] == "cosid-sidecar"
    of_type("ServiceAccount", name=account["name"], namespace=account["namespace"])
    of_type("Namespace", name=account["namespace"])
    assert deployment["spec"]["selector"]["matchLabels"].items() <= deployment["spec"]["template"]["metadata"]["labels"].items()


def test_pods__use_the_secrets_of_accesses():
    secrets = {(o["metadata"]["namespace"], name) for o in of_kind("BucketAccess")
               for name in re.findall(r"'(?:credentialsSecretName|accessSecretName)': '([^']+)'", str(o))}
    keys = set(re.findall(r"`(COSI_[A-Z0-9_]+)`", PAGE))
    used = set()
    for pod in (o for o in OBJECTS if o["kind"] == "Pod"):
        (container,) = pod["spec"]["containers"]
        mounted = {v["name"]: v["secret"]["secretName"] for v in pod["spec"].get("volumes", ())}
        for mount in container.get("volumeMounts", ()):
            used.add((pod["metadata"]["namespace"], mounted[mount["name"]]))
        for variable in container.get("env", ()):
            reference = variable["valueFrom"]["secretKeyRef"]
            used.add((pod["metadata"]["namespace"], reference["name"]))
            assert reference["key"] in keys
    assert used and used <= secrets


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
    access_class = named(client.api_version, "BucketAccessClass", fields(access)["bucketAccessClassName"])
    name, params, modes = access["metadata"]["name"], access_class.get("parameters"), claims_of(access)
    asked = [client.grant_fields(ids[claim], f"ba-{name}", mode, params) for claim, mode in modes.items()]
    method, request = asked[0]
    if client.api_version == "v1alpha2":
        request["buckets"] = [bucket for _, one in asked for bucket in one["buckets"]]
    return method, request


def test_accesses__open_the_new_buckets_of_their_claims(daemon, stores):
    claimed = set()
    for access in of_kind("BucketAccess"):
        client, ids, classes = daemon.client(version(access)), {}, {}
        for claim in claims_of(access):
            asked = named(client.api_version, "BucketClaim", claim)
            classes[claim] = named(client.api_version, "BucketClass", asked["bucketClassName"])["parameters"]
            ids[claim] = client.create(f"claimed-{claim}", classes[claim])
            claimed.add((client.api_version, claim))
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


def script_with(text, **words):
    """The one script of the page that has this text, with the words in capitals replaced."""
    (found,) = [block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) if text in block]
    for word, value in words.items():
        found = re.sub(rf"\b{word}\b", value, found)
    return found


def run_script(script, folder, objects, daemon=None):
    """With the fake kubectl: what it printed, and the objects afterwards."""
    (folder / "objects.json").write_text(json.dumps(objects))
    (folder / "kubectl").unlink(missing_ok=True)
    (folder / "kubectl").symlink_to(ROOT / "tests" / "fakes" / "kubectl")
    path, env = [str(folder)], {"FAKE_OBJECTS": str(folder / "objects.json")}
    if daemon:
        path.append(str(daemon.build / "bin"))
        env["COSI_ENDPOINT"] = f"unix://{daemon.socket}"
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env=os.environ | env | {"PATH": ":".join([*path, os.environ["PATH"]])})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, json.loads((folder / "objects.json").read_text())


def made_object(kind, name, namespace=None, **more):
    return {"kind": kind, "metadata": {"name": name, "namespace": namespace, "uid": f"uid-of-{name}"} | more.pop("metadata", {})} | more


def test_script__repairs_every_claim_whose_bucket_is_ready(folder):
    ready = {"bucketReady": True}
    buckets = [made_object("Bucket", f"of-{name}", spec={"bucketClaim": {"namespace": "shop", "name": name}},
                           status={"bucketReady": name != "later"}) for name in ("stuck", "fine", "later", "also")]
    claims = [made_object("BucketClaim", "stuck", "shop"), made_object("BucketClaim", "later", "shop"),
              made_object("BucketClaim", "fine", "shop", status=ready | {"bucketName": "of-fine"}),
              made_object("BucketClaim", "also", "shop", status={"bucketReady": False})]
    _, after = run_script(script_with("--subresource=status"), folder, buckets + claims)
    assert {o["metadata"]["name"]: o.get("status") for o in after if o["kind"] == "BucketClaim"} == {
        name: ready | {"bucketName": f"of-{name}"} for name in ("stuck", "fine", "also")} | {"later": None}


def test_scripts__find_and_revoke_lost_accesses(daemon, stores, folder):
    client = daemon.client("v1alpha1")
    bucket = client.create("of-lost-accesses", {"backend": "files"})
    for name in ("stuck", "lost", "used"):
        client.grant(bucket, f"ba-uid-of-{name}")
    finalizer = {"metadata": {"finalizers": ["cosi.objectstorage.k8s.io/protect"]}}
    accesses = [made_object("BucketAccess", "stuck", "shop", **finalizer), made_object("Secret", "creds", "shop", **finalizer),
                made_object("BucketAccess", "used", "shop")]
    listing = script_with("grep -vFf", BACKEND="files").replace("cosictl", f"cosictl -e unix://{daemon.admin}")
    assert run_script(listing, folder, accesses, daemon)[0] == "files.cosi-ba-uid-of-lost\n"
    revoking = script_with("cosictl revoke", BACKEND="files", BUCKET_ID=bucket, NAMESPACE="shop", NAME="stuck", SECRET="creds")
    _, after = run_script(revoking, folder, accesses, daemon)
    assert "finalizers" not in str(after)
    assert sorted(stores["files"].accounts()) == ["cosi-ba-uid-of-lost", "cosi-ba-uid-of-used"]
