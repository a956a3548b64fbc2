// A message as lines "TOPIC FIELD SECONDS BITS".
exports.bits = (number) => {
  if (number === null) return "null";
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString("hex");
};
exports.lines = (topic, time, message) => {
  let text = "";
  for (const [field, value] of Object.entries(message))
    if (value === null || typeof value === "number")
      text += `${topic} ${field} ${Number(time) * 1e-9} ${exports.bits(value)}\n`;
  return text;
};
