// SPDX-License-Identifier: Apache-2.0
// blobs.js - what granted URLs open, tried with Microsoft's own client (@azure/storage-blob).
//
// node blobs.js VERB...: for each line of its input, the URL of a container, it prints a line,
// {VERB: HTTP status}.  NODE_PATH says where the client is.
"use strict";
const dns = require("dns");
const readline = require("readline");
const { ContainerClient } = require("@azure/storage-blob");

// Debian's resolver does not know the names of RFC 6761.
const lookup = dns.lookup;
dns.lookup = (host, ...rest) => lookup(host.endsWith(".localhost") ? "127.0.0.1" : host, ...rest);

const status = (reply) => reply._response.status;

const verbs = {
	list: async (container) => {
		const page = await container.listBlobsFlat().byPage({ maxPageSize: 10 }).next();
		return status(page.value);
	},
	get: async (container) => {
		const reply = await container.getBlobClient("object").download();
		for await (const chunk of reply.readableStreamBody) void chunk;
		return status(reply);
	},
	put: async (container) => status(await container.getBlockBlobClient("fresh").upload("x", 1)),
	overwrite: async (container) =>
		status(await container.getBlockBlobClient("object").upload("content", 7)),
	blocks: async (container) => {
		const blob = container.getBlockBlobClient("big");
		await blob.stageBlock("MDAx", "x", 1);
		return status(await blob.commitBlockList(["MDAx"]));
	},
	remove: async (container) => status(await container.getBlobClient("fresh").delete()),
};

async function tried(url, names) {
	const container = new ContainerClient(url, undefined, { retryOptions: { maxTries: 1 } });
	const found = {};
	for (const name of names) {
		try {
			found[name] = await verbs[name](container);
		} catch (error) {
			found[name] = error.statusCode || error.message;
		}
	}
	return found;
}

async function main(names) {
	for await (const url of readline.createInterface({ input: process.stdin }))
		console.log(JSON.stringify(await tried(url, names)));
}

main(process.argv.slice(2));
