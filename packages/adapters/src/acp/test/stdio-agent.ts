import { Readable, Writable } from 'node:stream'
import { ndJsonStream } from '@agentclientprotocol/sdk'
import { scriptedAgent } from './scripted-agent.ts'

const [script = '[]'] = process.argv.slice(2)
// Node.js and the SDK declare the same stream under different names.
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
const { app } = scriptedAgent({ script: JSON.parse(script) })
await app.connect(ndJsonStream(Writable.toWeb(process.stdout), input)).closed
