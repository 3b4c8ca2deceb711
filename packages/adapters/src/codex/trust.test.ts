import { expect, test } from 'vitest'
import { withTrust } from './trust.ts'

const KEY = '/home/.codex/hooks.json:pre_tool_use:0:0'
const TABLE = `[hooks.state.${JSON.stringify(KEY)}]`

test('trust is added at the end, and everything else stays', () => {
  expect(withTrust('', KEY, 'sha256:1')).toBe(`${TABLE}\ntrusted_hash = "sha256:1"\n`)
  expect(withTrust('# mine\nmodel = "m"\n', KEY, 'sha256:1')).toBe(
    `# mine\nmodel = "m"\n\n${TABLE}\ntrusted_hash = "sha256:1"\n`,
  )
  expect(withTrust('model = "m"', KEY, 'sha256:1')).toBe(
    `model = "m"\n\n${TABLE}\ntrusted_hash = "sha256:1"\n`,
  )
})

test('a hook that changed is trusted as it is now, once', () => {
  const before = `${TABLE}\nenabled = true\ntrusted_hash = "sha256:0"\n\n[other]\ntrusted_hash = "x"\n`
  const after = withTrust(before, KEY, 'sha256:1')
  expect(after).toBe(before.replace('sha256:0', 'sha256:1'))
  expect(withTrust(after, KEY, 'sha256:1')).toBe(after)
})

test('a table without a hash gets one of its own', () => {
  expect(withTrust(`${TABLE}\n[other]\ntrusted_hash = "x"\n`, KEY, 'sha256:1')).toBe(
    `${TABLE}\ntrusted_hash = "sha256:1"\n[other]\ntrusted_hash = "x"\n`,
  )
})
