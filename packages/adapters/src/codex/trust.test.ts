import { expect, test } from 'vitest'
import { withTrust } from './trust.ts'

const KEY = '/home/.codex/hooks.json:pre_tool_use:0:0'
const TABLE = `[hooks.state.${JSON.stringify(KEY)}]`

test('withTrust adds the hash of a Codex hook at the end of the file, and keeps everything else', () => {
  expect(withTrust('', KEY, 'sha256:1')).toBe(`${TABLE}\ntrusted_hash = "sha256:1"\n`)
  expect(withTrust('# mine\nmodel = "m"\n', KEY, 'sha256:1')).toBe(
    `# mine\nmodel = "m"\n\n${TABLE}\ntrusted_hash = "sha256:1"\n`,
  )
  expect(withTrust('model = "m"', KEY, 'sha256:1')).toBe(
    `model = "m"\n\n${TABLE}\ntrusted_hash = "sha256:1"\n`,
  )
})

test('withTrust replaces the hash of a changed Codex hook, and keeps everything else', () => {
  const before = `${TABLE}\nenabled = true\ntrusted_hash = "sha256:0"\n\n[other]\ntrusted_hash = "x"\n`
  const after = withTrust(before, KEY, 'sha256:1')
  expect(after).toBe(before.replace('sha256:0', 'sha256:1'))
  expect(withTrust(after, KEY, 'sha256:1')).toBe(after)
})

test('withTrust adds the hash to the table of a Codex hook without one', () => {
  expect(withTrust(`${TABLE}\n[other]\ntrusted_hash = "x"\n`, KEY, 'sha256:1')).toBe(
    `${TABLE}\ntrusted_hash = "sha256:1"\n[other]\ntrusted_hash = "x"\n`,
  )
})
