/* SPDX-License-Identifier: Apache-2.0
 * pki.h - certificates for one test: a CA of its own, and leaves that are good or bad in one way.
 */
#ifndef TESTS_FAKES_PKI_H
#define TESTS_FAKES_PKI_H

struct pki;
/* A new CA; its certificate stands in DIR/ca.pem. */
struct pki *pki_new(const char *dir);
void pki_free(struct pki *pki);
/* Writes DIR/NAME.pem and DIR/NAME.key.  san: as in a configuration, "IP:127.0.0.1",
 * "DNS:x.example"; days: from now until it expires, negative: it is expired.  Ends the program on
 * failure. */
void pki_issue(struct pki *pki, const char *name, const char *san, int days);

#endif
