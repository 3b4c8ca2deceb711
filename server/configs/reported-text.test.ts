import { compileConfig } from '@signalbox/core'
import { parseConfigText } from '@signalbox/wire'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reportedText } from './reported-text.ts'

const prompt = { ns: 'team', key: 'agent' }

test('reported tool names that rules can use are kept, and others get an alias', () => {
  expect(JSON.parse(reportedText(prompt, ['read_file', 'WebFetch', 'web-search', 'Bash']))).toEqual(
    {
      schema_version: 1,
      ns: 'team',
      key: 'agent',
      aliases: { WebFetch: 'web_fetch', Bash: 'bash' },
      sections: [{ id: 'tools', tools: ['bash', 'read_file', 'web-search', 'web_fetch'] }],
    },
  )
})

test('an alias that several reported tools share goes to the first, and never replaces a real tool name', () => {
  expect(JSON.parse(reportedText(prompt, ['Bash', 'BASH', 'bash'])).aliases).toBeUndefined()
  expect(JSON.parse(reportedText(prompt, ['Run It', 'Run-It', 'run it'])).aliases).toEqual({
    'Run It': 'run_it',
    'Run-It': 'run-it',
  })
})

test('the config suggested from reported tools compiles for any tool names', () => {
  const name = fc
    .oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }), fc.constant('__proto__'))
    .filter((text) => /^[^\p{Cc}]{1,200}$/u.test(text))
  fc.assert(
    fc.property(fc.uniqueArray(name, { maxLength: 30 }), (called) => {
      const parsed = parseConfigText(reportedText(prompt, called))
      expect(parsed.ok && compileConfig(parsed.document).ok).toBe(true)
    }),
  )
})
