// A separate process: Node.js copies its page tables to start a program, so a start costs more in a process with more memory.
import { spawn } from 'node:child_process'
import { performance } from 'node:perf_hooks'
import { text } from 'node:stream/consumers'

const [command, times, input] = process.argv.slice(2)
const taken = []
for (let n = 0; n < Number(times); n += 1) {
  const start = performance.now()
  await once(input.replace('{n}', String(n)))
  taken.push(performance.now() - start)
}
process.stdout.write(JSON.stringify(taken))

async function once(given) {
  const child = spawn('/bin/sh', ['-c', command], { stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.on('error', () => undefined).end(given)
  const [output, code] = await Promise.all([
    text(child.stdout),
    new Promise((resolve) => child.once('close', resolve)),
  ])
  if (code !== 0 || output !== '') throw new Error(`${command} ended with ${code}: ${output}`)
}
