import { spawn } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const ROOT = path.join(import.meta.dirname, '..')
const PASSWORD = 'correct horse battery'

/**
 * @param {number} port
 * @param {string | undefined} [kept] data folder that is kept; absent: a temporary one
 * @param {Readonly<Record<string, string>>} [env]
 * @returns {Promise<{ url: string, pid: number, apiKey: string, setupToken: string, folder: string, stop: () => Promise<void> }>}
 */
export async function startProduct(port, kept, env = {}) {
  const folder = kept ?? fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-bench-'))
  const child = spawn(
    process.execPath,
    ['scripts/start.mjs', '--port', String(port), '--no-demo'],
    {
      cwd: ROOT,
      env: { ...process.env, ...env, SIGNALBOX_DATA_DIR: folder },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  await new Promise((resolve, reject) => {
    child.stdout.on(
      'data',
      (chunk) => String(chunk).includes('Signalbox is ready') && resolve(undefined),
    )
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}`)))
  })
  const secrets = JSON.parse(fs.readFileSync(path.join(folder, 'secrets.json'), 'utf8'))
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    apiKey: secrets.demoKey,
    setupToken: secrets.setupToken,
    folder,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('exit', resolve))
      if (kept === undefined) fs.rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Signs in the first administrator, and creates the account if there is none. Calls the server like the console's pages. */
export async function signedIn({ url, setupToken }) {
  const person = { name: 'Bench', email: 'bench@example.test', password: PASSWORD }
  const origin = { 'content-type': 'application/json', origin: url }
  let cookie = ''
  const call = async (name, input, method = 'POST') => {
    const json = JSON.stringify(input)
    const address = `${url}/api/trpc/${name}${method === 'GET' ? `?input=${encodeURIComponent(json)}` : ''}`
    const answer = await fetch(address, {
      method,
      headers: { ...origin, cookie },
      ...(method === 'GET' ? {} : { body: json }),
    })
    if (!answer.ok) throw new Error(`${name}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()).result.data
  }
  const { open } = await call('members.setupState', undefined, 'GET')
  if (open) await call('members.setup', { token: setupToken, ...person })
  const entry = await fetch(`${url}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: origin,
    body: JSON.stringify(person),
  })
  if (!entry.ok) throw new Error(`sign-in: ${entry.status} ${await entry.text()}`)
  cookie = entry.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  return {
    ask: (name, input) => call(name, input, 'GET'),
    tell: (name, input) => call(name, input, 'POST'),
    open: async (place) => {
      const answer = await fetch(`${url}${place}`, { headers: { cookie } })
      if (!answer.ok) throw new Error(`${place}: ${answer.status}`)
      return await answer.text()
    },
    cookie,
  }
}

/** Fields of /proc/<pid>/stat after the name of the program; throws for a process that has ended. */
function readStat(pid) {
  const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Every process below `pid`, with its command. Linux only; elsewhere empty. */
export function processesBelow(pid) {
  const found = []
  if (!fs.existsSync('/proc')) return found
  const parents = new Map()
  for (const name of fs.readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      const fields = readStat(name)
      const command = fs.readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      parents.set(Number(name), { parent: Number(fields[1]), command })
    } catch {
      // The process has ended meanwhile.
    }
  }
  const isBelow = (one) => {
    for (let at = one; at > 1; ) {
      at = parents.get(at)?.parent ?? 0
      if (at === pid) return true
    }
    return false
  }
  for (const [one, { command }] of parents) if (isBelow(one)) found.push({ pid: one, command })
  return found
}

/**
 * Resident memory in MiB and processor time in seconds so far of all processes that answer the product's requests; null where processes cannot
 * be listed. `primarySeconds`: the part of `seconds` of the process that distributes connections; 0 with one web process.
 */
export function measureWeb(product) {
  const usages = (pattern) =>
    processesBelow(product.pid)
      .filter(({ command }) => pattern.test(command))
      .map(({ pid }) => measureUsage(pid))
  const web = usages(/serve\.mjs|next-server/)
  if (web.length === 0) return null
  return {
    mib: web.reduce((sum, { mib }) => sum + mib, 0),
    seconds: web.reduce((sum, { seconds }) => sum + seconds, 0),
    primarySeconds: usages(/cluster\.mjs/)[0]?.seconds ?? 0,
  }
}

/** Milliseconds, including processes that have ended. No other load of the machine counts. */
export function processorTimeBelow(pid) {
  let hundredths = 0
  for (const { pid: each } of processesBelow(pid)) {
    try {
      hundredths += sumTimes(readStat(each))
    } catch {
      // The process has ended meanwhile.
    }
  }
  return hundredths * 10
}

/** Own processor time and that of children that have ended, in hundredths of a second. */
const sumTimes = (fields) => [11, 12, 13, 14].reduce((sum, field) => sum + Number(fields[field]), 0)

/** Processor time in seconds of the process and of all below it so far, also of processes that have ended. */
export function readProcessorSeconds(pid) {
  return sumTimes(readStat(pid)) / 100 + processorTimeBelow(pid) / 1000
}

/** Resident memory in MiB, and processor time in seconds so far. */
export function measureUsage(pid) {
  const status = fs.readFileSync(`/proc/${pid}/status`, 'utf8')
  const fields = readStat(pid)
  return {
    mib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
    // Linux counts in hundredths of a second.
    seconds: (Number(fields[11]) + Number(fields[12])) / 100,
  }
}
