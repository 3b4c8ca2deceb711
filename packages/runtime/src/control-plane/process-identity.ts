// Identity of a spool folder's owner: process id, start time and process namespace, because ids alone are reused (every container has a
// process 1). Linux provides all three; elsewhere only the id is used.
import fs from 'node:fs'

/** `<pid>-<start>-<namespace>`; the last two are 0 on systems that do not provide them. */
export function ownIdentity(): string {
  return `${process.pid}-${readProcessStart(process.pid)}-${namespace()}`
}

/** `gone`: no process with this identity runs. `elsewhere`: it belongs to another process namespace, which cannot be checked from here. */
export function ownerState(identity: string): 'running' | 'gone' | 'elsewhere' {
  const [pid = '', start = '0', space = '0'] = identity.split('-')
  if (space !== namespace()) return 'elsewhere'
  if (!isRunning(Number(pid))) return 'gone'
  const actual = readProcessStart(Number(pid))
  return actual !== '0' && start !== '0' && actual !== start ? 'gone' : 'running'
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Field 22 of /proc/<pid>/stat, counted from the last parenthesis, because the command before it may contain spaces. */
function readProcessStart(pid: number): string {
  const stat = readOrEmpty(() => fs.readFileSync(`/proc/${pid}/stat`, 'utf8'))
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '0'
}

function namespace(): string {
  return readOrEmpty(() => fs.readlinkSync('/proc/self/ns/pid')).replace(/\D/g, '') || '0'
}

function readOrEmpty(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
