// All numbers of an MCAP file as Foxglove's library reads them: a line "TOPIC FIELD SECONDS BITS" for each, BITS
// being those of the number in hexadecimal digits, or "null".
const fs = require("fs");
const { McapIndexedReader } = require("@mcap/core");
const { decompress } = require("fzstd");
const { lines } = require("./lines.cjs");

async function read(path) {
  const bytes = fs.readFileSync(path);
  const reader = await McapIndexedReader.Initialize({
    readable: {
      size: async () => BigInt(bytes.length),
      read: async (offset, size) =>
        new Uint8Array(bytes.buffer, bytes.byteOffset + Number(offset), Number(size)),
    },
    decompressHandlers: { zstd: (data, size) => decompress(data, new Uint8Array(Number(size))) },
  });
  for await (const message of reader.readMessages({ validateCrcs: true })) {
    const topic = reader.channelsById.get(message.channelId).topic;
    process.stdout.write(lines(topic, message.logTime, JSON.parse(Buffer.from(message.data))));
  }
}

read(process.argv[2]).catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
