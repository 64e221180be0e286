/* SPDX-License-Identifier: Apache-2.0
 * vectors.h - texts and their signatures, which an emulator or a client of Microsoft's agrees with.
 *
 * Shared Key and service SAS: tried on Azurite 3.35.0.  User delegation: what @azure/storage-blob
 * 12.32.0 signs.
 */
#ifndef TEST_AZURE_VECTORS_H
#define TEST_AZURE_VECTORS_H

/* The emulator's own key is public; the others are the bytes 0 to 63, and 0 to 31. */
#define EMULATOR_KEY                                                                               \
	"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
#define ACCOUNT_KEY                                                                                \
	"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7PD0+Pw=="
#define DELEGATION_KEY "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

static const struct vector {
	const char *name, *key, *text, *signature;
} vectors[] = {
	{ "K1 create container, path style", EMULATOR_KEY,
	  "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-meta-cosiowner:drv1\nx-ms-meta-cosiparams:9f86d081884c7d65\n"
	  "x-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/cosi-b"
	  "1\nrestype:container",
	  "JSK2pUECxgCgNCIi/EkNm/Bb+tduWMyymPPCq0Wg+Vw=" },
	{ "K2 get properties (HEAD)", EMULATOR_KEY,
	  "HEAD\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GM"
	  "T\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/cos"
	  "i-b1\nrestype:container",
	  "3Fyg3CEG37sy/+c+EwUfof7FVOYU56UWV7SJURPKyjI=" },
	{ "K3 acquire 15 s lease", EMULATOR_KEY,
	  "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-lease-action:acquire\nx-ms-lease-duration:15\nx-ms-proposed"
	  "-lease-id:11111111-2222-3333-4444-555555555555\nx-ms-version:2021-"
	  "12-02\n/devstoreaccount1/devstoreaccount1/cosi-b1\ncomp:lease\nres"
	  "type:container",
	  "3hw8A8TMwJ+FHWebwZz6RScSsRSUFgjYgoQyPixe3gY=" },
	{ "K4 get ACL", EMULATOR_KEY,
	  "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/cosi"
	  "-b1\ncomp:acl\nrestype:container",
	  "tb3V0kqj2lcdRZzc6XUU+NBEYQYOjHAxns9DqrAIiX8=" },
	{ "K5 set ACL under lease, XML body", EMULATOR_KEY,
	  "PUT\n\n\n294\n\napplication/xml\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov"
	  " 2026 12:00:00 GMT\nx-ms-lease-id:11111111-2222-3333-4444-55555555"
	  "5555\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/"
	  "cosi-b1\ncomp:acl\nrestype:container",
	  "HGgSYUiSic9GLaOhveK3axA09HFYqp8c6VmdE56oXj4=" },
	{ "K6 set ACL with If-Unmodified-Since", EMULATOR_KEY,
	  "PUT\n\n\n294\n\napplication/xml\n\n\n\n\nFri, 31 Dec 2027 00:00:00"
	  " GMT\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT\nx-ms-version:2021"
	  "-12-02\n/devstoreaccount1/devstoreaccount1/cosi-b1\ncomp:acl\nrest"
	  "ype:container",
	  "hxLl90HhzcAF7Ta4bv8jl23CQbwU+aCXlg5sSvsfNQk=" },
	{ "K7 release lease", EMULATOR_KEY,
	  "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-lease-action:release\nx-ms-lease-id:11111111-2222-3333-4444"
	  "-555555555555\nx-ms-version:2021-12-02\n/devstoreaccount1/devstore"
	  "account1/cosi-b1\ncomp:lease\nrestype:container",
	  "c97Tk/0zQZe9dbbK/Oemso8+AfQZkatE7nCkMrJQPPo=" },
	{ "K8 list blobs, prefix needing URL-encoding", EMULATOR_KEY,
	  "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/cosi"
	  "-b1\ncomp:list\nmaxresults:10\nprefix:a b/c+d&e=f\nrestype:contain"
	  "er",
	  "4V3s6NlVr7njp7ayuKmBrsfmqTrpC8/MuYT/LB2wbRE=" },
	{ "K9 delete container", EMULATOR_KEY,
	  "DELETE\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 "
	  "GMT\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1/c"
	  "osi-b1\nrestype:container",
	  "K8M4zFGemiivbj955U/N3BJW2XCP19LMqk50jbEm8dM=" },
	{ "K10 list containers, path style (root)", EMULATOR_KEY,
	  "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-version:2021-12-02\n/devstoreaccount1/devstoreaccount1\ncom"
	  "p:list\ninclude:metadata\nprefix:cosi-",
	  "B5oOxXLyg7SukIh1HgId2xZvMw/ZqZzRAQt48QgeBuw=" },
	{ "H1 create container, host style", ACCOUNT_KEY,
	  "PUT\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-meta-cosiowner:drv1\nx-ms-version:2021-12-02\n/cosiacct/cos"
	  "i-b1\nrestype:container",
	  "qxfqmxbbTrFauOSb9wNXbeWV1c+vFdhR4d+GMjgcERU=" },
	{ "H2 set ACL, host style", ACCOUNT_KEY,
	  "PUT\n\n\n294\n\napplication/xml\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov"
	  " 2026 12:00:00 GMT\nx-ms-version:2021-12-02\n/cosiacct/cosi-b1\nco"
	  "mp:acl\nrestype:container",
	  "yuKzsd7FgkZZLMuf6JSttIFU8bjpaYMGmeBGb3vfZzA=" },
	{ "H3 list containers, host style (root)", ACCOUNT_KEY,
	  "GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 GMT"
	  "\nx-ms-version:2021-12-02\n/cosiacct/\ncomp:list",
	  "fDDsnS3n8Lyy1H8qFDBTVmkTDilc1fF6WwU0mRMvQF0=" },
	{ "H4 delete container, host style", ACCOUNT_KEY,
	  "DELETE\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 20 Nov 2026 12:00:00 "
	  "GMT\nx-ms-version:2021-12-02\n/cosiacct/cosi-b1\nrestype:container",
	  "9dTpCMXAbD+U7KpJ4WHMKkB2mGktf8ruoCN8to25a9o=" },
	{ "S1 2018-11-09 si=", EMULATOR_KEY,
	  "\n\n\n/blob/devstoreaccount1/cosi-b1\nba-6f1f6c9e-0d2b-4c5f-9a53-2"
	  "f2f4b8f1c01\n\n\n2018-11-09\nc\n\n\n\n\n\n",
	  "CnnU2QQ5BWeFY3gJR5cqz2Ll7z8s6iwYQO6VOaAkwtw=" },
	{ "S2 2020-12-06 si=", EMULATOR_KEY,
	  "\n\n\n/blob/devstoreaccount1/cosi-b1\nba-6f1f6c9e-0d2b-4c5f-9a53-2"
	  "f2f4b8f1c01\n\n\n2020-12-06\nc\n\n\n\n\n\n\n",
	  "KnOTH1j1/DhF5u7bClJBRzGagQ4Mg8H5ux+A8U7WT6Q=" },
	{ "S3 2022-11-02 si=", EMULATOR_KEY,
	  "\n\n\n/blob/devstoreaccount1/cosi-b1\nba-6f1f6c9e-0d2b-4c5f-9a53-2"
	  "f2f4b8f1c01\n\n\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "HYmyQyisZGQJ28SVpyCyRlPZTrwzM7880oCo1CPi/Gw=" },
	{ "S4 2018-11-09 ad hoc racwdl", EMULATOR_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2027-11-20T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n\n\nhttps,http\n2018-11-09\nc\n\n\n\n\n\n",
	  "38Mbt11quhpLw5G2kBAeKcGsZYVp8tybgMSd0Y+qylY=" },
	{ "S5 2020-12-06 ad hoc racwdl", EMULATOR_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2027-11-20T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n\n\nhttps,http\n2020-12-06\nc\n\n\n\n\n\n\n",
	  "L4gjDjV2kE8PQu3eAQe/nLBUJZEPmIeKjuwO52mTeA8=" },
	{ "S6 2022-11-02 ad hoc racwdl", EMULATOR_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2027-11-20T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n\n\nhttps,http\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "mqo1iVK3kcrDaqGICRvoHfj6COWxXPFt/yCz5JVyUD0=" },
	{ "S7 2022-11-02 ad hoc read-only", EMULATOR_KEY,
	  "rl\n\n2027-11-20T00:00:00Z\n/blob/devstoreaccount1/cosi-b1\n\n\n\n"
	  "2022-11-02\nc\n\n\n\n\n\n\n",
	  "rwXEBDV7xD7/2dT1cyndc7s91pzrA9RX4WQfFNwo+AA=" },
	{ "S8 2022-11-02 ad hoc write-only, https, ip range", EMULATOR_KEY,
	  "acw\n\n2027-11-20T00:00:00Z\n/blob/devstoreaccount1/cosi-b1\n\n10."
	  "0.0.1-10.0.0.9\nhttps\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "4BiJGuqiwCB/VjiYt80SoubELSVw8OoDrPhRLRNvmts=" },
	{ "S9 2022-11-02 si=, account cosiacct", ACCOUNT_KEY,
	  "\n\n\n/blob/cosiacct/cosi-b1\nba-6f1f6c9e-0d2b-4c5f-9a53-2f2f4b8f1"
	  "c01\n\n\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "yYI7lAFwhWRtGBIxgspu3Lq0ePEjOzPMmaZxTGCsxQ4=" },
	{ "S10 2022-11-02 si= + spr=https", ACCOUNT_KEY,
	  "\n\n\n/blob/cosiacct/cosi-b1\nba-6f1f6c9e-0d2b-4c5f-9a53-2f2f4b8f1"
	  "c01\n\nhttps\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "MSx88gvAdeB0GPQ4eQkiA8Q1bBD9JiVQdE2/s+SoypI=" },
	{ "A1 account SAS 2022-11-02", EMULATOR_KEY,
	  "devstoreaccount1\nrwdlac\nb\nsco\n\n2027-11-20T00:00:00Z\n\nhttps,"
	  "http\n2022-11-02\n\n",
	  "VlS4gGIoOt23dDm64yc01NSrWFpZm+N8iK4VA5NtTxc=" },
	{ "A2 account SAS 2018-11-09", EMULATOR_KEY,
	  "devstoreaccount1\nrl\nb\nco\n2026-11-20T00:00:00Z\n2027-11-20T00:0"
	  "0:00Z\n\nhttps,http\n2018-11-09\n",
	  "8lN005c3TjUZbDNaOq2qhO/k+8kiCCfvaAirQwkNSQU=" },
	{ "U user-delegation SAS 2018-11-09", DELEGATION_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2026-11-27T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n11059fcc-5514-4800-b5f8-49808b9cfab6\nab1f708d-5"
	  "0f6-404c-a006-d71b2ac7a606\n2026-11-20T00:00:00Z\n2026-11-27T00:00"
	  ":00Z\nb\n2022-11-02\n\nhttps\n2018-11-09\nc\n\n\n\n\n\n",
	  "OJPTQTr3JRtyyNY+GKBWo9WtTqvej40Ptg0fzXJs4r8=" },
	{ "U user-delegation SAS 2020-02-10", DELEGATION_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2026-11-27T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n11059fcc-5514-4800-b5f8-49808b9cfab6\nab1f708d-5"
	  "0f6-404c-a006-d71b2ac7a606\n2026-11-20T00:00:00Z\n2026-11-27T00:00"
	  ":00Z\nb\n2022-11-02\n\n\n\n\nhttps\n2020-02-10\nc\n\n\n\n\n\n",
	  "DbjLXK/Tf6MsupKYIMK1JzVFEOFnvFDJO1ZaFvzH0oE=" },
	{ "U user-delegation SAS 2020-12-06", DELEGATION_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2026-11-27T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n11059fcc-5514-4800-b5f8-49808b9cfab6\nab1f708d-5"
	  "0f6-404c-a006-d71b2ac7a606\n2026-11-20T00:00:00Z\n2026-11-27T00:00"
	  ":00Z\nb\n2022-11-02\n\n\n\n\nhttps\n2020-12-06\nc\n\n\n\n\n\n\n",
	  "S/JezWU+p/HBJ50Bnh6PC0yMFT5GIfpDmbLxplCeWtQ=" },
	{ "U user-delegation SAS 2022-11-02", DELEGATION_KEY,
	  "racwdl\n2026-11-20T00:00:00Z\n2026-11-27T00:00:00Z\n/blob/devstore"
	  "account1/cosi-b1\n11059fcc-5514-4800-b5f8-49808b9cfab6\nab1f708d-5"
	  "0f6-404c-a006-d71b2ac7a606\n2026-11-20T00:00:00Z\n2026-11-27T00:00"
	  ":00Z\nb\n2022-11-02\n\n\n\n\nhttps\n2022-11-02\nc\n\n\n\n\n\n\n",
	  "AcqOAUViDGSDi1p/DFJgv0uffyAQcyF1OInRzZZsILI=" },
};

#endif
