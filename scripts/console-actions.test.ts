import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { run } from '@/packages/cli/src/run.ts'
import { ENDPOINTS } from '@/server/http/api.ts'
import { operationId } from '@/server/http/operation.ts'
import { appRouter } from '@/server/trpc/root.ts'
import { ROOT } from './build-steps.mjs'

interface Row {
  readonly action: string
  readonly operation: string
  readonly command: string
}

const ROWS = fs
  .readFileSync(path.join(ROOT, 'specs/console-actions.md'), 'utf8')
  .split('\n')
  .flatMap((line): readonly Row[] => {
    const [, action = '', operation = '', command = ''] =
      /^\| `(\w+\.\w+)` \| (.+?) \| ?(.*?) ?\|$/.exec(line) ?? []
    return action === '' ? [] : [{ action, operation, command }]
  })

const findCode = (text: string): readonly string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)

const OPERATIONS = ENDPOINTS.map(({ operation }) => operation)
const IDS = OPERATIONS.map(operationId)
const named = ROWS.flatMap(({ operation }) => findCode(operation)).filter((id) => IDS.includes(id))

const PROCEDURES = appRouter._def.procedures as unknown as Readonly<
  Record<string, { readonly _def: { readonly type: string } }>
>

async function listCommands(): Promise<readonly string[]> {
  const lines: string[] = []
  const io = {
    out: (line: string) => lines.push(line),
    err: (line: string) => lines.push(line),
    readText: () => Promise.reject(new Error('The command reads no file.')),
    readLines: () => {
      throw new Error('The command reads no file.')
    },
  }
  const around = {
    ...{ env: {}, cwd: '/', home: '/', node: '/node', entry: '/signalbox' },
    stopSignal: () => new AbortController().signal,
    readInput: () => Promise.resolve(''),
  }
  await run(['completion', 'fish'], io, around)
  return [...lines.join('\n').matchAll(/__fish_use_subcommand -f -a (\S+)/g)].map(
    ([, name = '']) => name,
  )
}

describe('specs/console-actions.md', () => {
  test('has each procedure that changes something once, and no other', () => {
    const changing = Object.entries(PROCEDURES).filter(([, one]) => one._def.type === 'mutation')
    expect(ROWS.map(({ action }) => action).toSorted()).toEqual(
      changing.map(([name]) => name).toSorted(),
    )
  })

  test.each(ROWS)('$action names an operation of the API, or a reason', ({ operation }) => {
    const words = operation.replaceAll(/`[^`]*`/g, '').trim()
    const known = findCode(operation).filter((id) => IDS.includes(id))
    expect(known.length > 0 || words.length > 20).toBe(true)
    const wrong = findCode(operation).filter((id) => id.includes('-') && !IDS.includes(id))
    expect(wrong).toEqual([])
  })

  test('names every operation of keys that changes something, except those of runtimes', () => {
    const own = OPERATIONS.filter(
      ({ method, path: address, scope }) =>
        method !== 'GET' && (scope === 'publish' || scope === 'admin') && !/\/lint$/.test(address),
    )
    expect(own.map(operationId).filter((id) => !named.includes(id))).toEqual([])
  })

  test('names commands that exist', async () => {
    const commands = await listCommands()
    const told = ROWS.flatMap(({ command }) => findCode(command))
    expect(told.filter((name) => !commands.includes(name))).toEqual([])
    expect(told.length).toBeGreaterThan(5)
  })
})
