import { expect, test } from 'vitest'
import { isDatabaseAway } from './errors.ts'

const withCode = (code: string) => Object.assign(new Error('x'), { code })

test.each(['08006', '57P01', '53300', '25006', '25P03', '40001', 'ECONNREFUSED', 'P1001'])(
  'code %s means that the database is away for the moment',
  (code) => {
    expect(isDatabaseAway(withCode(code))).toBe(true)
  },
)

test.each(['23505', '42P01', '22P02', '25001'])('code %s is a failure of the statement', (code) => {
  expect(isDatabaseAway(withCode(code))).toBe(false)
})

test.each([
  'Client has encountered a connection error and is not queryable',
  'Connection terminated unexpectedly',
  'timeout expired',
  'cannot execute INSERT in a read-only transaction',
])('the message %j means that the database is away for the moment', (message) => {
  expect(isDatabaseAway(new Error(message))).toBe(true)
})
