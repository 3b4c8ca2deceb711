import { learnSessions, type WrittenCall, writeSession, writeSessions } from '@signalbox/testkit'
import { describe, expect, test } from 'vitest'
import type { ConfigDocument } from '../kinds/config.ts'
import type { EventBody, SessionEvent } from '../model/event.ts'
import type { FileFact } from '../model/fact.ts'
import { effectFinder } from './effects.ts'
import { type Proposal, propose } from './index.ts'

type Log = readonly SessionEvent[]

const NONE: ConfigDocument = { schema_version: 1, ns: 'a', key: 'b' }
const MISSING: FileFact = { exists: false }
const FOLDER: FileFact = { exists: true, kind: 'directory' }

/** An existing file with this content. */
const content = (fingerprint: string): FileFact => ({ exists: true, kind: 'file', fingerprint })
const OLD = content('old')
const NEW = content('new')

const call = (tool: string, path: string, more: Partial<WrittenCall> = {}): WrittenCall => ({
  tool,
  args: { path },
  ...more,
})
const read = (path: string, tool = 'read') => call(tool, path, { found: OLD, left: OLD })
const edit = (path: string, tool = 'edit') => call(tool, path, { found: OLD, left: NEW })
const create = (path: string) => call('edit', path, { found: MISSING, left: NEW })
const list = (count: number) => Array.from({ length: count }, (_, i) => `${i}.txt`)

function find(kind: string, good: readonly Log[], bad: readonly Log[] = []): readonly Proposal[] {
  const counts = { good: learnSessions(good), bad: learnSessions(bad) }
  return propose(counts, NONE).filter((one) => one.kind === kind)
}

describe('a rule that a file is read before it is changed', () => {
  const kept = writeSessions(20, [read('a.txt'), edit('a.txt')])

  test('is offered with what it rests on, and instead of the order of the two tools', () => {
    const good = [...kept, ...writeSessions(20, ['look'])]
    const bad = [
      ...writeSessions(3, [read('a.txt'), edit('b.txt')]),
      ...writeSessions(1, [read('b.txt'), edit('b.txt')]),
    ]
    expect(find('read', good, bad)).toEqual([
      {
        id: expect.any(String),
        kind: 'read',
        sentence: '`edit` changed an existing file only when `read` had read it',
        group: 'guard',
        sessions: 20,
        broken: 0,
        confidence: expect.closeTo(0.8389, 4),
        chance: 0.5,
        surprise: expect.closeTo(20 * Math.log10(2), 6),
        badSessions: 4,
        brokenByBad: 3,
        unknownEffects: [],
        youngTools: [],
        pointer: '/policies/-',
        rule: {
          id: 'edit-after-read-of-file',
          type: 'read_before_write',
          read_tools: ['read'],
          write_tools: ['edit'],
          reads_expire_on_change: false,
          mode: 'shadow',
        },
      },
    ])
    expect(find('order', good, bad)).toEqual([])
  })

  test('stands beside an order since the last change', () => {
    const good = writeSessions(20, ['pull', read('a.txt'), edit('a.txt')])
    expect(find('read', good)).toHaveLength(1)
    expect(find('fresh', good).map(({ rule }) => rule.id)).toContain('edit-after-read-pull')
  })

  test('needs 20 sessions that change existing files', () => {
    const twice = [read('a.txt'), edit('a.txt'), read('b.txt'), edit('b.txt')]
    expect(find('read', writeSessions(20, twice))).toHaveLength(1)
    expect(find('read', writeSessions(19, twice))).toEqual([])
    const others = [
      writeSession([create('b.txt')]),
      writeSession([call('edit', 'src', { found: FOLDER, left: FOLDER })]),
      writeSession([call('edit', 'b.txt', { found: { exists: 'unknown' } })]),
      writeSession([call('edit', 'b.txt')]),
    ]
    expect(find('read', [...kept.slice(1), ...others])).toEqual([])
    expect(find('read', [...kept, ...others])).toMatchObject([{ sessions: 20, broken: 0 }])
  })

  /** 25 sessions that change `files` files each, of which the first ones leave out so many reads. */
  const offer = (files: number, missed: readonly number[]) =>
    find(
      'read',
      Array.from({ length: 25 }, (_, i) =>
        writeSession(
          list(files).flatMap((path, k) =>
            k < (missed[i] ?? 0) ? [edit(path)] : [read(path), edit(path)],
          ),
        ),
      ),
    )

  test('is offered while 95% of the calls and 80% of the sessions keep it', () => {
    expect(offer(4, [1, 1, 1, 1, 1])).toMatchObject([{ sessions: 25, broken: 5 }])
    expect(offer(4, [2, 2, 2])).toEqual([])
    expect(offer(8, [1, 1, 1, 1, 1, 1])).toEqual([])
  })

  test('is kept by a call on a file that the tool itself had written', () => {
    const own = writeSessions(5, [create('b.txt'), edit('b.txt')])
    const both = writeSessions(5, [create('b.txt'), edit('b.txt'), edit('c.txt')])
    expect(find('read', [...kept, ...own])).toMatchObject([{ sessions: 25, broken: 0 }])
    expect(find('read', kept, [...own, ...both])).toMatchObject([
      { badSessions: 10, brokenByBad: 5 },
    ])
  })

  test('is not offered when other tools, too, are called on files that were read', () => {
    const lint = (path: string) => call('lint', path, { found: OLD })
    const offerBeside = (onRead: number) =>
      find(
        'read',
        Array.from({ length: 20 }, (_, i) =>
          writeSession([
            ...list(4).flatMap((path) => [read(path), lint(path), edit(path)]),
            lint(i < onRead ? '0.txt' : 'other.txt'),
          ]),
        ),
      )
    expect(offerBeside(9)).toMatchObject([{ chance: 0.89 }])
    expect(offerBeside(10)).toEqual([])
  })

  test('names the reader of which most is known', () => {
    const offer = (reader: string) => {
      const both = (first: string, second: string) =>
        writeSessions(15, [read('a.txt', first), read('a.txt', second), edit('a.txt')])
      const one = writeSession([read('a.txt', reader), edit('a.txt')])
      const found = find('read', [...both('read', 'view'), ...both('view', 'read'), one])
      return found.map(({ rule }) => 'read_tools' in rule && rule.read_tools)
    }
    expect(offer('read')).toEqual([['read']])
    expect(offer('view')).toEqual([['view']])
    const [alone] = find('read', writeSessions(20, [read('a.txt', 'view'), edit('a.txt')]))
    expect(alone?.rule).toMatchObject({ read_tools: ['view'] })
  })

  test('takes neither a tool that changes files for a reader, nor one that may not for a writer', () => {
    expect(find('read', writeSessions(20, [edit('a.txt', 'format'), edit('a.txt')]))).toEqual([])
    const unknown = call('edit', 'a.txt', { found: OLD })
    expect(find('read', writeSessions(20, [read('a.txt'), unknown]))).toEqual([])
  })
})

describe('the effect of a tool', () => {
  /** Calls of `tool`, of which so many changed their file. */
  const learnCalls = (tool: string, all: number, changed: number) =>
    learnSessions([
      writeSession(list(all).map((path, i) => (i < changed ? edit(path, tool) : read(path, tool)))),
    ])
  const find = (tool: string, all: number, changed: number) =>
    effectFinder([learnCalls(tool, all, changed)])(tool)

  test('is reading if fewer than 1% of its calls change their file, writing if more than 50% do', () => {
    expect(find('tool', 101, 0)).toBe('reads')
    expect(find('tool', 101, 1)).toBe('reads')
    expect(find('tool', 100, 1)).toBe('unknown')
    expect(find('tool', 100, 50)).toBe('unknown')
    expect(find('tool', 100, 51)).toBe('writes')
  })

  test('is not known from fewer than 20 calls, in all samples together', () => {
    expect(find('tool', 19, 19)).toBe('unknown')
    expect(find('tool', 20, 20)).toBe('writes')
    const half = learnCalls('tool', 10, 10)
    expect(effectFinder([half, half])('tool')).toBe('writes')
  })

  test('is reading by a name that says so, where the calls do not tell and the tool takes paths', () => {
    for (const tool of ['read', 'read_file', 'file-list'])
      expect([tool, find(tool, 1, 0)]).toEqual([tool, 'reads'])
    for (const tool of ['spread', 'listen', 'thread_new'])
      expect([tool, find(tool, 1, 0)]).toEqual([tool, 'unknown'])
    expect(find('read_file', 20, 20)).toBe('writes')
    const withoutPath = learnSessions([writeSession(['read_mail'])])
    expect(effectFinder([withoutPath])('read_mail')).toBe('unknown')
    expect(effectFinder([withoutPath, learnCalls('read_mail', 1, 0)])('read_mail')).toBe('reads')
  })
})

describe('a file that each session makes', () => {
  const made = writeSessions(38, [create('LOG.md')])

  test('is offered as a check, with what it rests on', () => {
    const bad = [...writeSessions(3, ['look']), ...writeSessions(1, [create('LOG.md')])]
    expect(find('file', made.slice(18), bad)).toMatchObject([
      {
        sentence: '`LOG.md` was made before each stop',
        group: 'guard',
        sessions: 20,
        broken: 0,
        chance: null,
        surprise: expect.closeTo(20 * Math.log10(2), 6),
        badSessions: 4,
        brokenByBad: 3,
        unknownEffects: [],
        pointer: '/task_completion_checker',
        rule: {
          id: expect.stringMatching(/^file-log\.md-[0-9a-f]+$/),
          type: 'files_exist',
          files: ['LOG.md'],
        },
      },
    ])
    expect(find('file', made.slice(19))).toEqual([])
  })

  test('is offered while 95% of the sessions make it', () => {
    const without = (count: number) => [...made, ...writeSessions(count, ['look'])]
    expect(find('file', without(2))).toMatchObject([{ sessions: 40, broken: 2 }])
    expect(find('file', without(3))).toEqual([])
  })

  test('is not offered if it was there before, or is gone at the stop', () => {
    expect(find('file', writeSessions(20, [edit('LOG.md')]))).toEqual([])
    const remove = call('remove', 'LOG.md', { found: NEW, left: MISSING })
    expect(find('file', writeSessions(20, [create('LOG.md'), remove]))).toEqual([])
  })
})

test('a plan is offered as a check while 95% of the sessions finish one', () => {
  const finish = (statuses: readonly string[]): EventBody => ({
    type: 'plan.updated',
    data: { steps: statuses.map((status) => ({ title: 'one', status })) },
  })
  const done = writeSessions(38, [finish(['done', 'done'])])
  const open = (count: number) => writeSessions(count, [finish(['done', 'open'])])
  const none = (count: number) => writeSessions(count, [finish(['open']), finish([])])
  expect(find('plan', [...done, ...open(2)], [...open(3), ...done.slice(37)])).toMatchObject([
    {
      sentence: 'Every step of the plan was done at each stop',
      sessions: 40,
      broken: 2,
      chance: null,
      surprise: expect.closeTo(8.59, 2),
      badSessions: 4,
      brokenByBad: 3,
      pointer: '/task_completion_checker',
      rule: { id: 'plan-done', type: 'plan' },
    },
  ])
  // Sessions without a plan do not break the check, and say nothing for it.
  expect(find('plan', [...done, ...none(2)])).toMatchObject([{ sessions: 38, broken: 0 }])
  expect(find('plan', [...done, ...open(1), ...none(2)])).toEqual([])
  expect(find('plan', done.slice(19))).toEqual([])
})

describe('the offer to record facts about files', () => {
  const at = (tool: string, path = 'a.txt') => call(tool, path)

  test('names the tools that take paths in 20 sessions, by what their names say', () => {
    const good = [
      ...writeSessions(20, [at('view_file'), at('edit_file'), at('move_file')]),
      ...writeSessions(19, [at('list_files'), at('remove_file'), at('edit_file')]),
    ]
    expect(find('file_facts', good)).toMatchObject([
      {
        sentence:
          '`view_file`, `edit_file`, `move_file` take paths, and no facts about files are recorded',
        group: 'habit',
        sessions: 39,
        broken: 0,
        chance: null,
        surprise: 0,
        badSessions: 0,
        brokenByBad: 0,
        unknownEffects: ['view_file', 'edit_file', 'move_file'],
        rule: {
          id: 'record-file-facts',
          type: 'read_before_write',
          read_tools: ['view_file'],
          write_tools: ['edit_file', 'move_file'],
          reads_expire_on_change: false,
          mode: 'shadow',
        },
      },
    ])
  })

  test('is not made where facts are recorded, or where no tool reads or none writes', () => {
    const both = writeSessions(20, [at('view_file'), at('edit_file')])
    expect(find('file_facts', both)).toHaveLength(1)
    const recorded = writeSession([call('view_file', 'a.txt', { found: OLD })])
    expect(find('file_facts', [...both, recorded])).toEqual([])
    expect(find('file_facts', writeSessions(20, [at('view_file')]))).toEqual([])
    expect(find('file_facts', writeSessions(20, [at('edit_file')]))).toEqual([])
  })
})
