// Peer: the same screen in Node.js without a framework. It makes two concurrent upstream calls, parses each body and encodes
// the answer.
//
//     node fanout.mjs PORT UPSTREAM-URL
import http from 'node:http';

const [port, upstream] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 512 });

function get(path) {
    return new Promise((resolve, reject) => {
        const call = http.get(upstream + path, { agent, timeout: 10_000 }, (response) => {
            const chunks = [];
            response.on('data', (chunk) => chunks.push(chunk));
            response.on('error', reject);
            response.on('end', () => {
                if (response.statusCode !== 200) return reject(new Error(`status ${response.statusCode}`));
                try {
                    resolve(JSON.parse(Buffer.concat(chunks)).data);
                } catch (error) {
                    reject(error);
                }
            });
        });
        call.on('timeout', () => call.destroy(new Error('timeout')));
        call.on('error', reject);
    });
}

function answer(response, status, body) {
    const bytes = JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bytes) });
    response.end(bytes);
}

http.createServer(async (request, response) => {
    const date = new URL(request.url, 'http://gateway').searchParams.get('fddDate');
    try {
        const [recent, total] = await Promise.all([
            get(`/food-diary/weights?fddDate=${date}&keyword=recent`),
            get(`/food-diary/weights?fddDate=${date}`),
        ]);
        answer(response, 200, { code: 'OK', message: 'success', status: 200, data: { recent, total } });
    } catch {
        answer(response, 502, { code: 'BAD_GATEWAY', message: 'an upstream failed', status: 502, data: null });
    }
}).listen(Number(port), '127.0.0.1');
