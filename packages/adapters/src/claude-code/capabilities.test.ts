import { describe, expect, test } from 'vitest'
import { claudeCapabilities, claudeVersion } from './capabilities.ts'

describe('capabilities of Claude Code', () => {
  test('fail closed for HTTP hooks from the version that obeys onFailure', () => {
    const crash = (version: string | null) => claudeCapabilities(version, 'http').onGuardCrash
    expect(crash('2.1.329')).toBe('closed')
    expect(crash('2.2.0')).toBe('closed')
    expect(crash('3.0.0 (Claude Code)')).toBe('closed')
    expect(crash('2.1.328')).toBe('open')
    expect(crash('2.1.197')).toBe('open')
    expect(crash('1.9.999')).toBe('open')
    expect(crash('tomorrow')).toBe('open')
    expect(crash(null)).toBe('open')
  })

  test('report that command and callback hooks fail closed when the version is unknown', () => {
    expect(claudeCapabilities(null, 'command').onGuardTimeout).toBe('closed')
    expect(claudeCapabilities(null, 'callback').onGuardCrash).toBe('closed')
  })

  test('depend on the version, which is parsed from the agent name that Claude sends to its hooks', () => {
    expect(claudeVersion('claude-code_2-1-329_harness')).toBe('2.1.329')
    expect(claudeVersion('2.1.197')).toBe('2.1.197')
    expect(claudeVersion('other_agent')).toBeNull()
    expect(claudeVersion(undefined)).toBeNull()
  })
})
