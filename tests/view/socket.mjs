// A WebSocket client over a plain socket, so that a test can also say what no browser would say.
import { connect } from 'node:net';
import { randomBytes } from 'node:crypto';

export function openSocket(port, { token = '', origin = `http://127.0.0.1:${port}`, host = `127.0.0.1:${port}`, protocol = 'holdfast', upgrade = 'websocket' } = {}) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1'), client = { socket, closed: false, bytes: 0, open: false };
    let head = '';
    socket.on('connect', () => socket.write(`GET /?token=${token} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: ${upgrade}\r\nConnection: Upgrade\r\n` +
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n${protocol ? `Sec-WebSocket-Protocol: ${protocol}\r\n` : ''}${origin ? `Origin: ${origin}\r\n` : ''}\r\n`));
    socket.on('data', d => {
      client.bytes += d.length;
      if (client.open) return;
      head += d.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      client.open = head.startsWith('HTTP/1.1 101');
      resolve(client);
    });
    socket.on('close', () => { client.closed = true; resolve(client); });
    socket.on('error', () => { client.closed = true; resolve(client); });
    setTimeout(() => reject(new Error('no answer')), 10000).unref();
    // A frame with a mask, as clients send them; opcode 2 is binary.
    client.send = (payload, opcode = 2) => {
      const mask = randomBytes(4), size = payload.length;
      const start = size < 126 ? Buffer.from([0x80 | opcode, 0x80 | size]) : size < 65536 ? Buffer.from([0x80 | opcode, 0x80 | 126, size >> 8, size & 255])
        : Buffer.from([0x80 | opcode, 0x80 | 127, 0, 0, 0, 0, size >>> 24, (size >> 16) & 255, (size >> 8) & 255, size & 255]);
      socket.write(Buffer.concat([start, mask, Buffer.from(payload.map((b, i) => b ^ mask[i % 4]))]));
    };
    client.close = () => socket.destroy();
  });
}

export function command(kind, index = 0, ...numbers) {
  const bytes = Buffer.alloc(8 + 8 * numbers.length);
  bytes.writeUInt32LE(kind, 0);
  bytes.writeUInt32LE(index, 4);
  numbers.forEach((x, i) => bytes.writeDoubleLE(x, 8 + 8 * i));
  return bytes;
}
