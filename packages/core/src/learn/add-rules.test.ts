import { describe, expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { SequentialDependencyDocument } from '../kinds/policies/sequential-dependency.ts'
import { addRules, type PlacedRule } from './index.ts'
import { nameRule } from './rule-name.ts'

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }

const toRule = (tool: string, needs: string, after?: string): SequentialDependencyDocument => ({
  id: `${tool}-after-${needs}`,
  type: 'sequential_dependency',
  dependencies: { [tool]: [needs] },
  ...(after === undefined ? {} : { after: [after] }),
})
const order = (tool: string, needs: string, after?: string): PlacedRule => ({
  pointer: '/policies/-',
  rule: toRule(tool, needs, after),
})
const limit: PlacedRule = {
  pointer: '/policies/-',
  rule: { id: 'ship-rate', type: 'rate_limit', tools: ['ship'], max_calls: 2, per_seconds: 60 },
}
const advice: PlacedRule = {
  pointer: '/feedback_providers/-',
  rule: { id: 'rows', type: 'repeated_call', times: 3, trigger: { every_n_calls: 1 } },
}
const check = (file: string): PlacedRule => ({
  pointer: '/task_completion_checker',
  rule: { id: `file-${file}`, type: 'files_exist', files: [file] },
})

const add = (document: ConfigDocument, ...added: readonly PlacedRule[]) =>
  addRules(document, added, { mode: 'shadow' })

describe('a config with proposals', () => {
  test('has each at its place, behind what was there, and in the given mode', () => {
    const present = add(NONE, order('build', 'install'), {
      ...advice,
      rule: { ...advice.rule, id: 'old' },
    } as PlacedRule)
    const next = addRules(present, [limit, advice, check('a.txt')], { mode: 'enforce' })
    expect(next).toEqual({
      ...NONE,
      policies: [
        { ...order('build', 'install').rule, mode: 'shadow' },
        { ...limit.rule, mode: 'enforce' },
      ],
      feedback_providers: [
        { ...advice.rule, id: 'old', mode: 'shadow' },
        { ...advice.rule, mode: 'enforce' },
      ],
      task_completion_checker: check('a.txt').rule,
    })
  })

  test('is unchanged where nothing is added', () => {
    expect(add(NONE)).toStrictEqual(NONE)
    const checked = { ...NONE, task_completion_checker: { id: 'plan', type: 'plan' } } as const
    expect(add(checked)).toEqual(checked)
  })

  test('has one order for those that differ only in what makes them outdated', () => {
    const { policies } = add(
      NONE,
      order('ship', 'test', 'edit'),
      order('ship', 'build', 'edit'),
      limit,
      order('ship', 'test', 'merge'),
      order('ship', 'test', 'edit'),
    )
    expect(policies).toEqual([
      { ...toRule('ship', 'test'), after: ['edit', 'merge'], mode: 'shadow' },
      { ...toRule('ship', 'build', 'edit'), mode: 'shadow' },
      { ...limit.rule, mode: 'shadow' },
    ])
    for (const both of [[undefined, 'edit'] as const, ['edit', undefined] as const]) {
      const added = both.map((after) => order('ship', 'test', after))
      expect(add(NONE, ...added).policies).toMatchObject([{ after: ['edit'] }])
    }
    expect(add(NONE, order('ship', 'test')).policies).toStrictEqual([
      { ...toRule('ship', 'test'), mode: 'shadow' },
    ])
    const twice = add(NONE, limit, limit)
    expect(twice.policies?.map(({ id }) => id)).toEqual(['ship-rate', 'ship-rate-2'])
  })

  test('has new ids beside its own, those of its base and those of each other', () => {
    const present = add(NONE, limit)
    expect(add(present, limit).policies?.map(({ id }) => id)).toEqual(['ship-rate', 'ship-rate-2'])
    const child = addRules(NONE, [limit], { mode: 'shadow', within: present })
    expect(child.policies?.map(({ id }) => id)).toEqual(['ship-rate-2'])
    const other = add(NONE, limit, {
      ...advice,
      rule: { ...advice.rule, id: 'ship-rate' },
    } as PlacedRule)
    expect(other.feedback_providers?.map(({ id }) => id)).toEqual(['ship-rate-2'])
  })

  test('passes a stop if all of its checks do', () => {
    const one = add(NONE, check('a.txt'))
    expect(add(one, check('b.txt')).task_completion_checker).toEqual({
      id: 'all-checks',
      type: 'composite',
      checkers: [check('a.txt').rule, check('b.txt').rule],
    })
  })
})

describe('the id of a proposal', () => {
  test('is what the rule is about', () => {
    expect(nameRule('ship', 'after', 'run_tests', null)).toBe('ship-after-run_tests')
    expect(nameRule('a.b', 'rate')).toBe('a.b-rate')
    expect(nameRule('x'.repeat(64))).toBe('x'.repeat(64))
  })

  test('ends with a hash where an id cannot say it all', () => {
    expect(nameRule('file', 'LOG.md')).toBe('file-log.md-c307f293')
    expect(nameRule('file', 'log.md')).toBe('file-log.md')
    expect(nameRule('to', 'src//lib/')).toMatch(/^to-src-lib--[0-9a-f]+$/)
    expect(nameRule('./a b')).toMatch(/^a-b-[0-9a-f]+$/)
    expect(nameRule('__a')).toMatch(/^a-[0-9a-f]+$/)
    expect(nameRule('é')).not.toBe(nameRule('è'))
    const long = nameRule('x'.repeat(65))
    expect(long).toMatch(/^x{55}-[0-9a-f]{8}$/)
  })
})
