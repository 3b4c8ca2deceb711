import { afterEach, expect, test, vi } from 'vitest'
import { logEachMinute } from './log-each-minute.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

function heardLines(): object[] {
  const lines: object[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    const { time: _time, pid: _pid, hostname: _hostname, ...line } = JSON.parse(String(text))
    return lines.push(line) > 0
  })
  return lines
}

test('a flood of lines is one line a minute, the newest, with their number', () => {
  vi.useFakeTimers()
  const lines = heardLines()
  const note = logEachMinute('error', 'not stored')
  for (let batch = 1; batch <= 500; batch++) note({ batch })
  const first = { level: 'error', batch: 1, msg: 'not stored' }
  expect(lines).toEqual([first])
  vi.advanceTimersByTime(59_999)
  expect(lines).toEqual([first])
  vi.advanceTimersByTime(1)
  const rest = { level: 'error', batch: 500, times: 499, msg: 'not stored' }
  expect(lines).toEqual([first, rest])
  note({ batch: 501 })
  vi.advanceTimersByTime(60_000)
  expect(lines).toEqual([first, rest, { ...rest, batch: 501, times: 1 }])
})

test('a line after a quiet minute is logged immediately, without a number', () => {
  vi.useFakeTimers()
  const lines = heardLines()
  const note = logEachMinute('warn', 'not stored')
  note({ batch: 1 })
  vi.advanceTimersByTime(60_000)
  note({ batch: 2 })
  expect(lines).toEqual([1, 2].map((batch) => ({ level: 'warn', batch, msg: 'not stored' })))
})
