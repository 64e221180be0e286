# SPDX-License-Identifier: Apache-2.0
"""proto.py - the messages of each API version, made at run time from the .proto files in proto/.

protoc-c, which the build needs anyway, writes a descriptor set; nothing is generated.  Each API
version has a pool of its own, because both extend the same options with the same numbers.
"""
import functools
import pathlib
import subprocess
import tempfile

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

PROTO = pathlib.Path(__file__).resolve().parents[2] / "proto"
PACKAGE = {"v1alpha1": "cosi.v1alpha1", "v1alpha2": "sigs.k8s.io.cosi.v1alpha2"}
SECRET_OPTION = 1115  # extension cosi_secret of google.protobuf.FieldOptions


@functools.lru_cache(maxsize=None)
def descriptor_set(api_version):
    """google.protobuf.FileDescriptorSet of one API version and what it imports."""
    with tempfile.NamedTemporaryFile() as out:
        subprocess.run(
            ["protoc-c", f"-I{PROTO}/stub", f"-I{PROTO}", f"--descriptor_set_out={out.name}",
             "--include_imports", f"{api_version}/cosi_{api_version}.proto"],
            check=True, stdin=subprocess.DEVNULL)
        found = descriptor_pb2.FileDescriptorSet()
        found.ParseFromString(pathlib.Path(out.name).read_bytes())
    return found


@functools.lru_cache(maxsize=None)
def _pool(api_version):
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_set(api_version).file:
        pool.Add(file)
    return pool, message_factory.MessageFactory(pool)


def message(api_version, name):
    """The class of one message: message("v1alpha1", "DriverGetInfoRequest")."""
    pool, factory = _pool(api_version)
    return factory.GetPrototype(pool.FindMessageTypeByName(f"{PACKAGE[api_version]}.{name}"))


def methods(api_version):
    """Every method: {"DriverGetInfo": ("/cosi.v1alpha1.Identity/DriverGetInfo", request, reply)}."""
    found = {}
    for file in descriptor_set(api_version).file:
        for service in file.service:
            for method in service.method:
                path = f"/{PACKAGE[api_version]}.{service.name}/{method.name}"
                request, reply = (message(api_version, kind.rpartition(".")[2])
                                  for kind in (method.input_type, method.output_type))
                found[method.name] = (path, request, reply)
    return found
