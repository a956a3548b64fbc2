// So many messages of every topic that a server shows, as Foxglove's library of its protocol reads them, as lines
// "TOPIC FIELD SECONDS BITS".
const WebSocket = require("ws");
const { FoxgloveClient } = require("@foxglove/ws-protocol");
const { lines } = require("./lines.cjs");

const [, , address, wanted] = process.argv;
const client = new FoxgloveClient({
  ws: new WebSocket(address, [FoxgloveClient.SUPPORTED_SUBPROTOCOL]),
});
const topics = new Map();
const fail = (error) => {
  console.error(error);
  process.exit(1);
};
let told = "", left = 0;
client.on("error", fail);
client.on("close", () => fail("the server has gone"));
client.on("advertise", (channels) => {
  for (const channel of channels) {
    JSON.parse(channel.schema);
    left += Number(wanted);
    topics.set(client.subscribe(channel.id), { name: channel.topic, left: Number(wanted) });
  }
});
client.on("message", ({ subscriptionId, timestamp, data }) => {
  const topic = topics.get(subscriptionId);
  if (topic.left-- <= 0) return;
  told += lines(topic.name, timestamp, JSON.parse(new TextDecoder().decode(data)));
  if (--left === 0) process.stdout.write(told, () => process.exit(0));
});
