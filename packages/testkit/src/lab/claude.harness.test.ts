// Proof that the real Claude Code runs offline against the scripted server.
import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startAnthropicServer } from '../model-servers/anthropic-server.ts'
import { launchClaude } from './claude.ts'
import { whyNotInstalled } from './installed-harness.ts'
import { makeLabFolders } from './lab-folders.ts'
import { jsonLines } from './launch.ts'

describe.skipIf(whyNotInstalled('first') !== null)('Claude Code in the lab', () => {
  test('runs the calls of the script and shows their results to the model', async () => {
    const model = await startAnthropicServer([
      { calls: [{ name: 'Bash', input: { command: 'echo from-$((40 + 2)) | tee made.txt' } }] },
      { say: 'All done.' },
    ])
    onTestFinished(() => model.close())
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())

    const exit = await launchClaude({ ...folders, prompt: 'Make the file.', modelUrl: model.url })

    expect(exit).toMatchObject({ exitCode: 0, timedOut: false, stderr: '' })
    expect(fs.readFileSync(path.join(folders.workspace, 'made.txt'), 'utf8')).toBe('from-42\n')
    expect(model.requests).toHaveLength(2)
    expect(model.requests[0]).toContain('Make the file.')
    expect(model.requests[0]).not.toContain('from-42')
    expect(model.requests[1]).toContain('from-42')
    expect(jsonLines(exit.stdout).at(-1)).toMatchObject({ type: 'result', result: 'All done.' })
    expect(model.unknown).toEqual([])
  })
})
