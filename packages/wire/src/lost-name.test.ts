import { describe, expect, test } from 'vitest'
import { parseConfigText } from './parse-config.ts'
import { parseEventLine } from './parse-event.ts'

const event = (type: string, data: string) =>
  `{"session":"sess_1","seq":1,"at":1,"type":"${type}","data":${data}}`
const request = (args: string, facts: string) =>
  event('tool.requested', `{"call_id":"a","tool":"write","args":${args},"facts":${facts}}`)

describe('the name __proto__', () => {
  test.for<[pointer: string, line: string]>([
    ['/data/facts/files/__proto__', request('{}', '{"files":{"__proto__":{"exists":false}}}')],
    [
      '/data/facts/files/__proto__',
      request('{}', '{"files":{"\\u005f_proto__":{"exists":false}}}'),
    ],
    [
      '/data/tags/__proto__',
      event(
        'session.started',
        '{"ns":"a","key":"b","environment":"c","harness":{"name":"d"},"tags":{"__proto__":"x"}}',
      ),
    ],
  ])('is refused in an event: %s', ([pointer, line]) => {
    const parsed = parseEventLine(line)
    expect(parsed.ok ? null : parsed.problem.pointer).toBe(pointer)
  })

  test('the name __proto__ is kept in arguments and outputs', () => {
    const line = request('{"path":{"__proto__":1}}', '{}')
    const parsed = parseEventLine(line)
    expect(parsed.ok && JSON.parse(JSON.stringify(parsed.event))).toEqual(JSON.parse(line))
    expect(JSON.stringify(parsed)).toContain('__proto__')
  })

  test.for<[pointer: string, field: string]>([
    ['/aliases/__proto__', '"aliases":{"__proto__":"deploy"}'],
    [
      '/policies/0/dependencies/__proto__',
      '"policies":[{"id":"o","type":"sequential_dependency","dependencies":{"__proto__":["test"]}}]',
    ],
    ['/policies/0/__proto__', '"policies":[{"id":"o","type":"acme/x","__proto__":{}}]'],
  ])('is refused in a config: %s', ([pointer, field]) => {
    const parsed = parseConfigText(`{"schema_version":1,"ns":"a","key":"b",${field}}`)
    expect(parsed.problems.map((problem) => problem.pointer)).toEqual([pointer])
  })

  test.for(['constructor', 'tostring', 'valueof', 'hasownproperty'])(
    '%s is an ordinary tool name',
    (name) => {
      const rule = `{"id":"o","type":"sequential_dependency","dependencies":{"${name}":["test"]}}`
      const parsed = parseConfigText(`{"schema_version":1,"ns":"a","key":"b","policies":[${rule}]}`)
      expect(parsed.ok && parsed.document.policies).toEqual([JSON.parse(rule)])
    },
  )
})
