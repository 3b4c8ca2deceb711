import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import {
  launchClaude,
  makeLabFolders,
  startAnthropicServer,
  whyNotInstalled,
} from '@signalbox/testkit'
import { describe, expect, onTestFinished, test } from 'vitest'
import { IS_SOAK } from '@/scripts/soak-sample.mjs'
import { claudeHookSettings } from './hook-settings.ts'
import type { HookServer } from './test/hook-server.ts'
import { DONE, NEVER_DONE, run, writing } from './test/run-claude.ts'

describe.skipIf(whyNotInstalled('first') !== null)('a hook of Claude Code that fails', () => {
  const asking = (index: number, file: string) => (index === 0 ? writing(file) : DONE)
  const file = (workspace: string) => path.join(workspace, 'made.txt')

  test.each([
    ['answers with an error', 500, '{}'],
    ['answers that the token is wrong', 401, '{}'],
    ['answers with text that is not JSON', 200, 'hello'],
    ['answers for an unknown event', 200, '{"hookSpecificOutput":{"hookEventName":"Odd"}}'],
  ])('refuses the call when it %s', async (_, status, body) => {
    const folders = makeLabFolders()
    onTestFinished(() => folders.remove())
    const model = await startAnthropicServer(({ index }) => asking(index, file(folders.workspace)))
    onTestFinished(() => model.close())
    const answering = await startAnswering(status, body)
    const hooks = claudeHookSettings({ http: { url: answering } })
    await launchClaude({ ...folders, prompt: 'Do it.', modelUrl: model.url, settings: { hooks } })
    expect(model.requests[1]).toContain('blocking because onFailure is')
    expect(fs.existsSync(file(folders.workspace))).toBe(false)
  })

  test.each(['crashes', 'hangs'] as const)(
    'refuses the call when the guard behind a command %s',
    async (guard) => {
      const made = path.join(os.tmpdir(), `signalbox-${process.pid}-${guard}.txt`)
      const ran = await run({
        guard,
        ways: ({ command }) => ({ command: { command } }),
        only: ['PreToolUse', 'PostToolBatch'],
        script: ({ index }) => asking(index, made),
      })
      expect(ran.model.requests[1]).toContain('PreToolUse:Write hook error')
      expect(fs.existsSync(made)).toBe(false)
    },
  )

  test.runIf(IS_SOAK)('refuses the prompt when the guard behind a command crashes', async () => {
    const ways = ({ command }: HookServer) => ({ command: { command } })
    expect((await run({ guard: 'crashes', ways, script: [DONE] })).model.requests).toEqual([])
  })

  test('allows the stop over HTTP, and blocks it as a command', async () => {
    const byBoth = ({ url, command }: HookServer) => ({ http: { url }, command: { command } })
    const setting = { config: NEVER_DONE, guard: 'crashes', script: () => DONE } as const
    expect((await run(setting)).model.requests).toHaveLength(1)
    const held = await run({ ...setting, ways: byBoth })
    // Claude's own cap finally allows the stop.
    expect(held.model.requests).toHaveLength(9)
  })
})

async function startAnswering(status: number, body: string): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(status).end(body))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  // `listen` on a TCP port, so that the address is never a path.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
