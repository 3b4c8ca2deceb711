import { expect, it } from 'vitest'
import { batchColumns, int, lines, packedText, text, textAs, time } from './batch-columns.ts'

const columns = batchColumns({
  sessionId: text(),
  seq: int<number | null>(),
  at: time(),
  state: textAs('json'),
  rules: lines(),
  note: packedText<string | null>(),
})

it('batch columns derive names, stored values and reads from one declaration', () => {
  expect(columns.names).toBe('session_id, seq, at, state, rules, note')
  expect(columns.values).toBe(
    'n.session_id, n.seq, to_timestamp(n.at / 1000), n.state, string_to_array(n.rules, chr(10)), n.note',
  )
  expect(columns.assignments).toContain('session_id = n.session_id, seq = n.seq')
  expect(columns.selection).toContain(
    '(extract(epoch FROM at) * 1000)::float8 AS "at", state::text AS "state"',
  )
})

it('batch columns number one array parameter per column, starting at the given number', () => {
  expect(columns.source(2)).toBe(
    'unnest($2::text[], $3::int[], $4::float8[], $5::json[], $6::text[], ' +
      `string_to_array($7::text, chr(30), chr(31))) AS n(${columns.names})`,
  )
})

it('batch columns send one parameter per column, with numbers and packed texts as one text each', () => {
  const row = { sessionId: 'a', seq: 1, at: 5, state: '{}', rules: ['x', 'y'], note: 'b\u001Ec' }
  const other = { ...row, sessionId: 'b', seq: null, rules: [], note: null }
  expect(columns.parameters([row, other])).toEqual([
    ['a', 'b'],
    '{1,NULL}',
    '{5,5}',
    ['{}', '{}'],
    ['x\ny', ''],
    'b\u{FFFD}c\u001E\u001F',
  ])
})
