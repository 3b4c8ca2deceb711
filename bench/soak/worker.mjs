// @ts-check
import { parentPort } from 'node:worker_threads'
import { run } from '@signalbox/cli'
import { soakShard } from './shard.mjs'

if (parentPort === null) throw new Error('This file is a worker thread of bench/soak/run.mjs.')
const port = parentPort
port.on('message', async (/** @type {{ seed: number, size: number }} */ work) => {
  port.postMessage(await soakShard(run, work))
})
