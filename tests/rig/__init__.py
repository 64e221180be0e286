# SPDX-License-Identifier: Apache-2.0
"""__init__.py - what the tests drive cosid with: clients, stores, a proxy between them, the daemon."""
