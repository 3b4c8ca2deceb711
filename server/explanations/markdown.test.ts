import { expect, test } from 'vitest'
import { code, fenced, inline } from './markdown.ts'

test.each([
  ['a\rb', 'a b'],
  ['a \r\n\u2028 b\u2029c\u0085d', 'a b c d'],
  ['done |\n| forged | row', String.raw`done \| \| forged \| row`],
  [String.raw`a\| b`, String.raw`a\\\| b`],
  ['![x](https://evil.test/p.png)', String.raw`!\[x\](https://evil.test/p.png)`],
  ['<img src=x> &lt;', String.raw`\<img src=x\> \&lt;`],
  ['# Approved', String.raw`\# Approved`],
  ['- [x] done', String.raw`\- \[x\] done`],
  ['1. first', String.raw`1\. first`],
  ['**bold** `code` ~~gone~~', '\\*\\*bold\\*\\* \\`code\\` \\~\\~gone\\~\\~'],
  ['_emphasis_ in a_file_name.md', String.raw`\_emphasis\_ in a_file_name.md`],
  ['src/report.md, 100 % of it', 'src/report.md, 100 % of it'],
])('inline Markdown renders %j as literal text in one line', (text, line) => {
  expect(inline(text)).toBe(line)
})

test.each([
  ['deploy', '`deploy`'],
  ['a`b', '``a`b``'],
  ['`` ` ', '``` `` ` ```'],
  ['a`\n# b', '``a` # b``'],
])('a Markdown code span contains the whole name %j', (name, line) => {
  expect(code(name)).toBe(line)
})

test('a fenced Markdown block has a longer fence than any in its text', () => {
  expect(fenced('a\n````\nb')).toEqual(['`````', 'a\n````\nb', '`````'])
})
