import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { actionText } from './audit-words.ts'

const SERVER = path.join(import.meta.dirname, '../../server')

/** Actions in the server's code: `noun.verb` in quotes beside the word `action`, or in a table of that name. */
function listServerActions(): readonly string[] {
  const files = readdirSync(SERVER, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') && !/\.test\.ts$|^db\/generated|^test\/|^http\/openapi/.test(file),
  )
  const named = files.flatMap((file) => {
    const text = readFileSync(path.join(SERVER, file), 'utf8')
    if (!text.includes('recordAudit(')) return []
    const near = text.match(/(?:action:|const ACTION = \{)[^}]{0,160}/gi) ?? []
    return near.flatMap((piece) => [...piece.matchAll(/'([a-z_]+\.[a-z_]+)'/g)])
  })
  return [...new Set(named.map(([, action = '']) => action))].toSorted()
}

test('the audit log has a label for every action that the server records', () => {
  const actions = listServerActions()
  expect(actions.length).toBeGreaterThan(40)
  expect(actions.filter((action) => actionText(action) === action)).toEqual([])
})

test('the audit log shows an action without a label as stored', () => {
  expect(actionText('thing.done')).toBe('thing.done')
})
