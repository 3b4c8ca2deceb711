import { configDocument, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { JsonValue } from '../model/json.ts'
import { isSameJson } from '../model/same-json.ts'
import { changesAsText, diffConfigs } from './config-changes.ts'

const BASE: ConfigDocument = {
  schema_version: 1,
  ns: 'demo',
  key: 'release-notes',
  sections: [{ id: 'work', tools: ['read_file', 'write_file'] }],
  policies: [
    { id: 'order', type: 'sequential_dependency', dependencies: { deploy: ['test'] } },
    {
      id: 'rbw',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
  ],
  feedback_providers: [
    { id: 'clock', type: 'deadline', trigger: { every_n_seconds: 30 } },
    { id: 'rules', type: 'static', trigger: { every_n_calls: 5 }, feedback: 'Read AGENTS.md' },
  ],
  task_completion_checker: {
    id: 'done',
    type: 'composite',
    checkers: [
      { id: 'plan', type: 'plan' },
      { id: 'notes', type: 'files_exist', files: ['NOTES.md'] },
    ],
  },
}

const [ORDER, RBW] = BASE.policies ?? []
const [CLOCK, RULES] = BASE.feedback_providers ?? []

function lines(change: Partial<ConfigDocument>): string {
  return changesAsText(diffConfigs(BASE, { ...BASE, ...change }))
}

test.each<[string, Partial<ConfigDocument>, string]>([
  ['nothing', {}, ''],
  [
    'one more prerequisite',
    { policies: [{ ...ORDER!, dependencies: { deploy: ['test', 'build'] } } as never, RBW!] },
    '~ Policy order: deploy needs test first → deploy needs test and build first',
  ],
  [
    'a mode',
    { policies: [{ ...ORDER!, mode: 'shadow' }, RBW!] },
    '~ Policy order: mode: enforce → shadow',
  ],
  ['a removed rule', { policies: [RBW!] }, '- Policy order: deploy needs test first'],
  [
    'a field that the sentence does not contain',
    { policies: [ORDER!, { ...RBW!, mount_point: '/workspace' } as never] },
    '~ Policy rbw: mount_point: none → "/workspace"',
  ],
  [
    'a rule moved into a section: one change, not two',
    { policies: [RBW!], sections: [{ ...BASE.sections![0]!, policies: [ORDER!] }] },
    '~ Policy order: place: whole prompt → section work',
  ],
  [
    'the order of rules',
    { policies: [RBW!, ORDER!] },
    '~ Order of policies: order, rbw → rbw, order',
  ],
  [
    'a trigger',
    { feedback_providers: [{ ...CLOCK!, trigger: { every_n_seconds: 60 } }, RULES!] },
    '~ Feedback clock: Reports the remaining time every 30 s, as a warning in the last 2 minutes → Reports the remaining time every 1 minute, as a warning in the last 2 minutes',
  ],
  [
    'a tool',
    { sections: [{ id: 'work', tools: ['read_file'] }] },
    '~ Section work: tools: read_file, write_file → read_file',
  ],
  [
    'an added check, and a tree that requires any instead of all',
    {
      task_completion_checker: {
        id: 'done',
        type: 'composite',
        all_must_pass: false,
        checkers: [
          { id: 'plan', type: 'plan' },
          { id: 'log', type: 'files_exist', files: ['LOG.md'] },
        ],
      },
    },
    '- Check notes: NOTES.md exists\n~ Check done: all must pass → any may pass\n+ Check log: LOG.md exists',
  ],
  [
    'the lease and the final verification',
    { lease: { interval: 30 }, final_verification: 'error' },
    '+ Final verification: error\n+ Lease interval: 30 s',
  ],
  [
    'a field of a check that the sentence does not contain',
    { task_completion_checker: { id: 'done', type: 'plan', optional: true } as never },
    '- Check plan: Every plan step is done\n- Check notes: NOTES.md exists\n~ Check done: all must pass → Every plan step is done\n~ Check done: optional: none → true',
  ],
  [
    'limits, name, alias',
    { limits: { max_stop_blocks: 3 }, name: 'Notes', aliases: { Write: 'write_file' } },
    '~ Prompt name: demo:release-notes → Notes\n~ Incomplete stops: blocked, at most 10 in a session → blocked, at most 3 in a session\n+ Alias Write: write_file',
  ],
])('a config diff describes the change: %s', (_name, change, expected) => {
  expect(lines(change)).toBe(expected)
})

test('a config diff lists a first version as added, and counts redaction secrets without showing them', () => {
  const { ns, key } = BASE
  const after: ConfigDocument = {
    schema_version: 1,
    ns,
    key,
    policies: [ORDER!],
    limits: { max_stop_blocks: 5 },
    redaction: [{ id: 'token', literals: ['hunter2-secret'] }],
  }
  const changes = diffConfigs(null, after)
  expect(changes.map(({ kind }) => kind)).toEqual(['added', 'added', 'added'])
  expect(JSON.stringify(changes)).not.toContain('hunter2')
  const other = { ...after, redaction: [{ id: 'token', literals: ['hunter3-secret'] }] }
  const told = changesAsText(diffConfigs(after, other))
  expect(told).toBe('~ Redaction token: texts: 1 literal texts → 1 other literal texts')
})

test('a config diff has a change exactly when two documents differ', () => {
  const documents = fc.oneof(configDocument, extendedConfigDocument)
  fc.assert(
    fc.property(documents, documents, (one, other) => {
      expect(diffConfigs(one, one)).toEqual([])
      const isSame = isSameJson(one as unknown as JsonValue, other as unknown as JsonValue)
      expect(diffConfigs(one, other).length === 0).toBe(isSame)
    }),
  )
})

test('a config diff reports a changed field that has no sentence of its own', () => {
  const told = changesAsText(diffConfigs(BASE, { ...BASE, feedback_exclusive: false }))
  expect(told).toBe('~ Document: other fields changed; see the JSON')
})

const NESTED: ConfigDocument = {
  schema_version: 1,
  ns: 'demo',
  key: 'notes',
  name: 'Notes',
  description: 'About notes.',
  metadata: { team: 'tax' },
  aliases: { Write: 'write_file' },
  feedback_exclusive: true,
  sections: [
    {
      id: 'outer',
      title: 'Outer',
      sections: [
        {
          id: 'inner',
          tools: ['test', 'deploy'],
          policies: [
            {
              id: 'order',
              type: 'sequential_dependency',
              mode: 'shadow',
              dependencies: { deploy: ['test'] },
            },
          ],
        },
      ],
    },
  ],
  feedback_providers: [
    { id: 'clock', type: 'deadline', mode: 'off', trigger: { every_n_seconds: 30 } },
  ],
  task_completion_checker: {
    id: 'done',
    type: 'composite',
    checkers: [
      { id: 'plan', type: 'plan' },
      {
        id: 'either',
        type: 'composite',
        all_must_pass: false,
        checkers: [{ id: 'notes', type: 'files_exist', files: ['NOTES.md'] }],
      },
    ],
  },
}

const NESTED_LINES = [
  'Prompt name: Notes',
  'Feedback: first match only',
  'Description: “About notes.”',
  'Metadata: {"team":"tax"}',
  'Alias Write: write_file',
  'Section outer: tools none',
  'Section inner: tools test, deploy',
  'Policy order: deploy needs test first (shadow)',
  'Feedback clock: Reports the remaining time every 30 s, as a warning in the last 2 minutes (off)',
  'Check done: all must pass: plan, either',
  'Check plan: Every plan step is done',
  'Check either: any may pass: notes',
  'Check notes: NOTES.md exists',
]

test('a config diff lists every part of a first version as added', () => {
  const told = changesAsText(diffConfigs(null, NESTED))
  expect(told.split('\n')).toEqual(NESTED_LINES.map((line) => `+ ${line}`))
})

test('a config diff lists the changed places of nested sections and checks', () => {
  const flat: ConfigDocument = {
    ...NESTED,
    sections: [
      { id: 'outer', title: 'Wide', tools: ['test'] },
      ...(NESTED.sections?.[0]?.sections ?? []),
    ],
    feedback_exclusive: false,
    task_completion_checker: {
      id: 'either',
      type: 'composite',
      checkers: [
        { id: 'plan', type: 'plan' },
        { id: 'notes', type: 'files_exist', files: ['NOTES.md'] },
      ],
    },
  }
  expect(changesAsText(diffConfigs(NESTED, flat)).split('\n')).toEqual([
    '~ Feedback: first match only → every match',
    '~ Section outer: title: Outer → Wide',
    '~ Section outer: tools: none → test',
    '~ Section inner: place: outer › inner → inner',
    '- Check done: all must pass: plan, either',
    '~ Check either: any may pass → all must pass',
    '~ Check either: place: in done → top',
    '~ Check plan: place: in done → in either',
  ])
})

test('a config diff reports the order of checks only if kept checks changed places', () => {
  const checks = (...files: readonly string[]): ConfigDocument => ({
    ns: 'demo',
    key: 'notes',
    schema_version: 1,
    task_completion_checker: {
      id: 'done',
      type: 'composite',
      checkers: files.map((file) => ({ id: file, type: 'files_exist', files: [file] })),
    },
  })
  const diff = (...after: readonly string[]) =>
    changesAsText(diffConfigs(checks('a', 'b', 'c'), checks(...after)))
  expect(diff('a', 'd', 'b', 'c')).toBe('+ Check d: d exists')
  expect(diff('c', 'a')).toBe('- Check b: b exists\n~ Check done: order: a, c → c, a')
})

test('a config diff compares a redaction rule with the former one of the same id', () => {
  const rules = (...literals: readonly string[]): ConfigDocument => ({
    schema_version: 1,
    ns: 'demo',
    key: 'notes',
    redaction: [
      { id: 'first', literals: ['first-secret'] },
      { id: 'second', literals },
    ],
  })
  expect(changesAsText(diffConfigs(rules('a-secret'), rules('b-secret')))).toBe(
    '~ Redaction second: texts: 1 literal texts → 1 other literal texts',
  )
})

test('a config diff marks names and has the kind of every change', () => {
  const { ns, key } = BASE
  const empty: ConfigDocument = { schema_version: 1, ns, key }
  const one: ConfigDocument = { ...empty, sections: [{ id: 'work', tools: ['a'] }] }
  const other: ConfigDocument = { ...empty, sections: [{ id: 'work', tools: ['b', 'c'] }] }
  expect(diffConfigs(one, empty)).toEqual([
    { kind: 'removed', subject: 'Section `work`', detail: 'tools `a`' },
  ])
  expect(diffConfigs(one, other)).toEqual([
    { kind: 'changed', subject: 'Section `work`', detail: 'tools: `a` → `b`, `c`' },
  ])
  expect(diffConfigs(empty, other)).toEqual([
    { kind: 'added', subject: 'Section `work`', detail: 'tools `b`, `c`' },
  ])
})

test('a config diff gives the reason of a condition in place of the condition, which stays the detail', () => {
  const condition = {
    id: 'paths',
    type: 'expression',
    deny_when: 'args.path.matches("^/etc/.*$")',
    reason: 'Keep out of /etc. Ask a person.',
  } as never
  const checker = {
    id: 'notes',
    type: 'expression',
    require: 'size(session.files) > 0',
    feedback: 'Write the notes.',
  } as never
  const before: ConfigDocument = { schema_version: 1, ns: 'demo', key: 'paths' }
  const after = { ...before, policies: [condition], task_completion_checker: checker }
  const plains = (old: ConfigDocument | null, now: ConfigDocument) =>
    diffConfigs(old, now).flatMap(({ plain, detail }) =>
      plain === undefined ? [] : [[plain, detail.includes('matches')]],
    )
  expect(plains(before, after)).toEqual([
    ['Denies a call: “Keep out of /etc.”', true],
    ['Blocks a stop: “Write the notes.”', false],
  ])
  const wider = { ...(condition as object), deny_when: 'args.path.matches("^/.*$")' } as never
  const shadow = { ...(condition as object), mode: 'shadow' } as never
  expect(plains(after, { ...after, policies: [wider] })).toEqual([
    ['the condition changed. Denies a call: “Keep out of /etc.”', true],
  ])
  expect(plains(before, { ...before, policies: [shadow] })).toEqual([
    ['Denies a call: “Keep out of /etc.” (shadow)', true],
  ])
})

test('a config diff states that stops are only recorded when the limit is 0', () => {
  expect(lines({ limits: { max_stop_blocks: 0 } })).toBe(
    '~ Incomplete stops: blocked, at most 10 in a session → recorded only',
  )
})
