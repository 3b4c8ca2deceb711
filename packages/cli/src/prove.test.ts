import { afterAll, expect, test } from 'vitest'
import { listAllBlocks, NamedBlocks } from '@/scripts/document-blocks.mjs'
import { run } from './run.ts'
import { makeSurroundings, recordIo } from './test/command-parts.ts'

const PAGE = 'docs/how-to/ask-what-the-rules-allow.md'
const documented = new NamedBlocks(import.meta.filename)
const claims = documented.take(PAGE, { '"expect"': '"expect"' })
const RULES =
  listAllBlocks().find(({ file, language }) => file === PAGE && language === 'json')?.text ?? ''

afterAll(() => expect(documented.listLeft()).toEqual([]))

/** Answers `rules.json` and `claims.json` with these texts. */
async function prove(command: string, files: Readonly<Record<string, string>> = {}) {
  const texts = { 'rules.json': RULES, 'claims.json': claims, ...files }
  const { io, out, err } = recordIo({
    readText: async (file) => Object.entries(texts).find(([name]) => name === file)?.[1] ?? '',
  })
  const words = command.trim().split(/\s+/).slice(1)
  return { code: await run(words, io, makeSurroundings()), out, err }
}

test('the questions of the how-to have the answers that it tells', async () => {
  const never = await prove(
    documented.take(PAGE, { '--without run_tests --config': '--without run_tests --config' }),
  )
  expect(never).toMatchObject({
    code: 0,
    out: [
      'No. No run allows such a call. It rests on `tests-before-deploy`. Assumed: at most 2 calls are under way at a time.',
    ],
  })
  const since = documented.take(PAGE, { '--since': '--since' })
  expect(await prove(since)).toEqual({
    code: 1,
    out: [
      'Yes. The last call of this session is allowed.',
      '  1  session starts (any environment that no rule names)',
      '  2  run_tests {}',
      '  3  run_tests: success',
      '  4  write_file {}',
      '  5  write_file: success',
      '  6  deploy {}',
    ],
    err: [],
  })
  const stricter = RULES.replace('["run_tests"] }', '["run_tests"] }, "after": ["write_file"]')
  expect(await prove(since, { 'rules.json': stricter })).toMatchObject({ code: 0 })
  const claimed = documented.take(PAGE, { 'prove claims': 'prove claims' })
  expect(await prove(claimed)).toMatchObject({
    code: 0,
    out: ['holds  Can `deploy` run without `run_tests`?', '1 claim: 0 broken, 0 not known'],
  })
  const loose = RULES.replace('["run_tests"]', '[]')
  expect(await prove(claimed, { 'rules.json': loose })).toMatchObject({
    code: 1,
    out: [
      'broken  Can `deploy` run without `run_tests`?',
      '  Yes. The last call of this session is allowed.',
      '  1  session starts (any environment that no rule names)',
      '  2  deploy {}',
      '1 claim: 1 broken, 0 not known',
    ],
  })
})

test.each([
  ['signalbox prove run deploy --config rules.json', 'Name either --without or --where.'],
  ['signalbox prove decisive nothing --config rules.json', 'The config has no policy "nothing".'],
  [
    'signalbox prove run deploy --where args. --config rules.json',
    '"args." is no CEL condition over args.',
  ],
  ['signalbox prove trapped --under-way 9 --config rules.json', 'Use a whole number from 0 to 3.'],
])('%s is refused with what to do', async (command, message) => {
  const { code, err } = await prove(command)
  expect(code).toBe(2)
  expect(err.join('\n')).toContain(message)
})

test('lint --prove also warns about a policy that never decides', async () => {
  const twice = JSON.stringify({
    ...JSON.parse(RULES),
    policies: ['first', 'second'].map((id) => ({
      id,
      type: 'sequential_dependency',
      dependencies: { deploy: ['run_tests'] },
    })),
  })
  const lint = documented.take(PAGE, { '--prove': '--prove' })
  expect(await prove(lint)).toMatchObject({ code: 0 })
  const { code, out } = await prove(lint, { 'rules.json': twice })
  expect(code).toBe(1)
  expect(out.map((line) => line.split('  ').slice(0, 2).join(' '))).toEqual([
    '/policies/0 warning',
    '/policies/1 warning',
  ])
  expect(out[0]).toContain('another rule refuses, too')
})

test('a claim that is wrong names its place', async () => {
  const file =
    '{"claims": [{"question": {"ask": "run_without", "tool": "deploy"}, "expect": "never"}]}'
  const { code, err } = await prove('signalbox prove claims claims.json --config rules.json', {
    'claims.json': file,
  })
  expect(code).toBe(2)
  expect(err.join('\n')).toContain('claims.json/claims/0/question/needs')
})
