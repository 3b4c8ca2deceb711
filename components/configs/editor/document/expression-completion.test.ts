import { celExpressions } from '@signalbox/core/expression'
import { EXPRESSION_VARIABLES } from '@signalbox/core/lint'
import { describe, expect, test } from 'vitest'
import { optionsAt } from './expression-completion.ts'

const KNOWN = { tools: ['deploy', 'mcp-a'], args: ['command', 'dry run'] }
const offered = (before: string, place: 'call' | 'stop' = 'call') =>
  optionsAt(before, place, KNOWN)?.options.map(({ label }) => label) ?? null

describe('names at the cursor of a condition', () => {
  test.each([
    ['args.', ['command']],
    ['calls.', ['deploy']],
    ['1 < calls.', ['deploy']],
    ['calls.deploy.', ['calls', 'succeeded', 'failed', 'denied', 'last']],
    ['size(session.usage.', ['input', 'output', 'total']],
    ['session.plan.do', ['total', 'done']],
  ])('%s', (before, names) => {
    expect(offered(before)).toEqual(names)
  })

  test('are the variables of its place, and functions', () => {
    expect(offered('')?.slice(0, 5)).toEqual(['tool', 'args', 'calls', 'session', 'size'])
    expect(offered('tool == "x" && ', 'stop')?.slice(0, 4)).toEqual([
      'calls',
      'session',
      'stop',
      'size',
    ])
    expect(offered('stop.', 'stop')).toContain('last_message')
    expect(offered('stop.')).not.toContain('last_message')
  })

  test.each(['args.command.', 'args["a b"].', 'string(args.n).', 'session.prompt.'])(
    'are methods after a value: %s',
    (before) => {
      expect(offered(before)).toContain('startsWith')
    },
  )

  test.each(['args.command == "ar', "tool == 'de", 'true // calls.'])(
    'are none in %s',
    (before) => {
      expect(offered(before)).toBeNull()
    },
  )

  test('compile once their gaps are filled', () => {
    const engine = celExpressions()
    const variables = EXPRESSION_VARIABLES.map(({ name }) => name)
    for (const before of ['', 'args.command.', 'args.files.']) {
      for (const { insert, back } of optionsAt(before, 'call', KNOWN)?.options ?? []) {
        const gap = insert.length - back
        const filled =
          insert.includes("('')") || back === 0
            ? insert
            : `${insert.slice(0, gap)}args.n${insert.slice(gap)}`
        const source = `${before}${filled} == 1`
        expect(engine.compile(source, variables), source).toHaveProperty('ok', true)
      }
    }
  })
})
