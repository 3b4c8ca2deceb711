// No other module of the server reads process.env. scripts/installation.mjs sets the variables that the server requires.
import 'server-only'
import type { z } from 'zod'
import { registerReset } from './process-memory.ts'
import { problemsIn, Variables } from './variables.mjs'

export type Env = z.output<typeof Variables>

export function isDevelopment(): boolean {
  return process.env['NODE_ENV'] === 'development'
}

let parsed: Env | undefined
registerReset(() => {
  parsed = undefined
})

function givenVariables(): Readonly<Record<string, string>> {
  const given: Record<string, string> = {}
  for (const name of Object.keys(Variables.shape)) {
    const value = process.env[name] ?? ''
    if (value !== '') given[name] = value
  }
  return given
}

/** Path below which this server is reached, such as `/guard`; empty: the root of its host. */
export function urlPrefix(): string {
  return new URL(env().SIGNALBOX_URL).pathname.replace(/\/$/, '')
}

/** Read on first use, never at import, because `next build` has no environment. Throws with the names of missing variables. */
export function env(): Env {
  if (parsed !== undefined) return parsed
  const given = givenVariables()
  const problems = problemsIn(given)
  if (problems.length > 0) throw new Error(problems.join(' '))
  const result = Variables.safeParse(given)
  if (!result.success) {
    const names = result.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new Error(`The server's environment is incomplete: ${names}. Start it with "npm start".`)
  }
  parsed = result.data
  return parsed
}
