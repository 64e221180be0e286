# SPDX-License-Identifier: Apache-2.0
"""messages.py - messages of both API versions, and the replies that several tests give."""
from rig import proto


def v2(kind, /, **fields):
    return proto.message("v1alpha2", kind)(**fields)


def v1(kind, /, **fields):
    return proto.message("v1alpha1", kind)(**fields)


S3_INFO = {"bucket_id": "photos", "endpoint": "http://s3.example.org:8000", "region": "east",
           "addressing_style": {"style": "PATH"}}
S3_GRANT = {"account_id": "rgw.cosi-app",
            "buckets": [{"bucket_id": "rgw.photos", "bucket_info": {"s3": S3_INFO}}],
            "credentials": {"s3": {"access_key_id": "AKEXAMPLE", "access_secret_key": "it's $HOME`id`"}}}
V1_S3 = {"accessKeyID": "AKEXAMPLE", "accessSecretKey": "sesame", "endpoint": "http://s3.example.org:8000",
         "region": "east"}


def v1_grant(credentials):
    return v1("DriverGrantBucketAccessResponse", account_id="rgw.cosi-app",
              credentials={name: v1("CredentialDetails", secrets=found) for name, found in credentials.items()})
