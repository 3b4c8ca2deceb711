// Sends a canary on the route of a real hook, by exactly the command or address in the settings. The daemon must refuse it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { JsonObject } from '@signalbox/core'
import type { Surroundings } from '../base/surroundings.ts'
import { askSocket } from '../daemon/ask-socket.ts'
import { type DaemonPaths, startCommand } from '../daemon/daemon-paths.ts'
import { CANARY, CANARY_REFUSED } from '../daemon/hook-answer.ts'

export type CanaryResult =
  | { readonly kind: 'refused' }
  /** Something other than the daemon refused the call: calls are refused without an evaluation. */
  | { readonly kind: 'no_daemon'; readonly why: string }
  | { readonly kind: 'open'; readonly why: string }

export type HookRoute =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'socket'; readonly paths: DaemonPaths; readonly path: string }

const TIMEOUT_MS = 60_000

export async function sendCanary(
  route: HookRoute,
  call: JsonObject,
  asked: { readonly token: string | null; readonly around: Surroundings },
): Promise<CanaryResult> {
  const payload = JSON.stringify({ ...call, [CANARY]: true })
  switch (route.kind) {
    case 'command':
      return byCommand(route.command, payload, asked.around)
    case 'http':
      return byHttp(route.url, payload, asked.token)
    case 'socket':
      return bySocket(route, payload)
    default:
      return route satisfies never
  }
}

async function bySocket(
  { paths, path }: Extract<HookRoute, { readonly kind: 'socket' }>,
  body: string,
): Promise<CanaryResult> {
  const answer = await askSocket(paths.socket, { method: 'POST', path, body }).catch(() => null)
  if (answer?.body.includes(CANARY_REFUSED) === true) return { kind: 'refused' }
  const how = `Start it: ${startCommand(paths)}`
  return { kind: 'no_daemon', why: `No daemon answers on ${paths.socket}. ${how}` }
}

async function byCommand(
  command: string,
  payload: string,
  { env, cwd }: Surroundings,
): Promise<CanaryResult> {
  // The type omits the other variables of process.env.
  const whole = { NODE_ENV: 'production', ...env } as NodeJS.ProcessEnv
  const child = spawn('/bin/sh', ['-c', command], { env: whole, cwd, timeout: TIMEOUT_MS })
  child.stdin.on('error', () => undefined)
  child.stdin.end(payload)
  const ended = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  if (out.includes(CANARY_REFUSED)) return { kind: 'refused' }
  const why = firstLine(err) ?? firstLine(out) ?? `The command exited with code ${code}.`
  return code === 2 || isRefusal(out) ? { kind: 'no_daemon', why } : { kind: 'open', why }
}

async function byHttp(url: string, payload: string, token: string | null): Promise<CanaryResult> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(url, { method: 'POST', body: payload, headers, signal })
    const output = await response.text()
    if (response.ok && output.includes(CANARY_REFUSED)) return { kind: 'refused' }
    if (response.ok && isRefusal(output)) return { kind: 'no_daemon', why: firstLine(output) ?? '' }
    return { kind: 'open', why: `${url} answered with status ${response.status}.` }
  } catch {
    return { kind: 'no_daemon', why: `Nothing answers on ${url}.` }
  }
}

function isRefusal(output: string): boolean {
  return /"(permissionDecision|decision|deny|permission)":"?(deny|block|The )/.test(output)
}

function firstLine(output: string): string | null {
  return output.trim().split('\n')[0]?.trim() || null
}
