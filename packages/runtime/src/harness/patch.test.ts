import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { changesIn, changesInCommand } from './patch.ts'

const patch = (...lines: readonly string[]) =>
  ['*** Begin Patch', ...lines, '*** End Patch', ''].join('\n')

describe('the text of a patch', () => {
  test('lists the changes of every file, in order', () => {
    const text = patch(
      '*** Add File: docs/new.md',
      '+# New',
      '+',
      '*** Update File: src/a.ts',
      '@@ class A',
      '-old',
      '+new',
      '*** Delete File: gone.txt',
    )
    expect(changesIn(text)).toEqual([
      { kind: 'add', path: 'docs/new.md', content: '# New\n\n' },
      { kind: 'update', path: 'src/a.ts', patch: '@@ class A\n-old\n+new', movedTo: null },
      { kind: 'delete', path: 'gone.txt' },
    ])
  })

  test('names both paths of a moved file', () => {
    const text = patch('*** Update File: a.txt', '*** Move to: b/c.txt', '@@', '-x', '+y')
    expect(changesIn(text)).toEqual([
      { kind: 'update', path: 'a.txt', patch: '@@\n-x\n+y', movedTo: 'b/c.txt' },
    ])
  })

  test.each([
    ['spaces before and after a header', '  *** Add File: a.txt  '],
    ['a carriage return', '*** Add File: a.txt\r'],
    ['no begin and end lines', '*** Add File: a.txt'],
    ['no space before its name', '*** Add File:a.txt'],
  ])('is parsed when it has %s', (_, header) => {
    expect(changesIn(`${header}\n+x`)).toMatchObject([{ kind: 'add', path: 'a.txt' }])
  })

  test.each(['\u2028', '\u2029', '\r', '\u0085'])(
    'keeps a path that contains the character %j whole',
    (odd) => {
      const text = patch(
        '*** Update File: a.txt',
        `*** Move to: b${odd}c.txt`,
        `*** Delete File: d${odd}e.txt`,
      )
      expect(changesIn(text)).toEqual([
        { kind: 'update', path: 'a.txt', patch: '', movedTo: `b${odd}c.txt` },
        { kind: 'delete', path: `d${odd}e.txt` },
      ])
    },
  )

  test('the text of a patch does not treat written content as a header', () => {
    const text = patch('*** Add File: a.txt', '+*** Delete File: b.txt')
    expect(changesIn(text)).toEqual([
      { kind: 'add', path: 'a.txt', content: '*** Delete File: b.txt\n' },
    ])
  })

  test('misses no header, for any surrounding text', () => {
    const noise = fc.array(fc.string().map((line) => `+${line.replace(/\n/g, '')}`))
    const file = fc.stringMatching(/^[a-z][a-z/._-]{0,20}$/)
    const kind = fc.constantFrom('Add', 'Update', 'Delete')
    fc.assert(
      fc.property(fc.array(fc.tuple(kind, file, noise), { minLength: 1 }), (parts) => {
        const lines = parts.flatMap(([each, name, rest]) => [`*** ${each} File: ${name}`, ...rest])
        expect(changesIn(patch(...lines)).map((change) => change.path)).toEqual(
          parts.map(([, name]) => name),
        )
      }),
    )
  })

  test('the text of a patch never throws for any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void changesIn(text)))
  })
})

describe('a shell command that may pipe a patch', () => {
  const heredoc = `apply_patch <<'EOF'\n${patch('*** Add File: a.txt', '+x')}EOF\n`

  test('changes the files of its patch', () => {
    expect(changesInCommand(heredoc)).toMatchObject([
      { kind: 'add', path: 'a.txt', content: 'x\n' },
    ])
  })

  test.each([
    ['cd sub && ', 'sub/a.txt'],
    ['cd "my folder" && ', 'my folder/a.txt'],
    ["cd 'my folder' && ", 'my folder/a.txt'],
    ['cd /tmp && ', '/tmp/a.txt'],
  ])('changes files of another folder after %s', (before, path) => {
    expect(changesInCommand(before + heredoc)).toMatchObject([{ path }])
  })

  test('resolves a relative path after cd, and keeps an absolute one', () => {
    const text = `cd sub && apply_patch <<'EOF'\n${patch('*** Update File: /etc/a', '*** Move to: b')}EOF`
    expect(changesInCommand(text)).toMatchObject([{ path: '/etc/a', movedTo: 'sub/b' }])
  })

  test('a shell command that may pipe a patch without a patch changes no known file', () => {
    expect(changesInCommand('echo hi > *** Add File: a')).toEqual([])
  })
})
