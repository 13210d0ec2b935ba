// An interpreter webhook in Node, from the standard library alone: what somebody writes who has only read the protocol.
// It serves with the certificate in CERT and KEY, prints its port, and ends when its standard input does.
import { createSecureServer } from 'node:http2';

const handlers = {
  InterpretReplica: ({ object }) => ({ replicas: object.spec.replicas ?? 1, replicaRequirements: { resourceRequest: { cpu: '250m' } } }),
  InterpretComponent: ({ object }) => ({ components: [{ name: 'main', replicas: object.spec.replicas }] }),
  ReviseReplica: ({ replicas }) => patch([{ op: 'replace', path: '/spec/replicas', value: replicas }]),
  Retain: ({ observedObject }) => patch([{ op: 'add', path: '/spec/paused', value: observedObject.spec.paused }]),
  InterpretStatus: ({ object }) => ({ rawStatus: object.status ?? {} }),
  AggregateStatus: ({ aggregatedStatus = [] }) => patch([
    { op: 'add', path: '/status', value: { ready: aggregatedStatus.reduce((sum, item) => sum + (item.status?.ready ?? 0), 0) } },
  ]),
  InterpretHealth: ({ object }) => ({ healthy: object.status?.ready > 0 }),
  InterpretDependency: ({ object }) => ({
    dependencies: [{ apiVersion: 'v1', kind: 'ConfigMap', namespace: object.metadata.namespace, name: object.spec.config }],
  }),
};

function patch(operations) {
  return { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') };
}

function answer(body) {
  let uid = '';
  try {
    const { request } = JSON.parse(body);
    uid = request.uid;
    const handler = handlers[request.operation];
    if (!handler) {
      return { uid, successful: false, status: { code: 400, message: `unknown operation ${request.operation}` } };
    }
    return { uid, successful: true, ...handler(request) };
  } catch (err) {
    return { uid, successful: false, status: { code: 422, message: String(err.message) } };
  }
}

const server = createSecureServer({ cert: process.env.CERT, key: process.env.KEY, allowHTTP1: true }, (req, res) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => {
    res.setHeader('Content-Type', 'application/json');
    res.end(JSON.stringify({ response: answer(Buffer.concat(chunks).toString()) }));
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit()).resume();
