// Configs, files and code of how-to pages that need a base, a server or a sender.
import type { ConfigDocument } from '@signalbox/core'
import { inheritConfig } from '@signalbox/core/tighten'
import { afterAll, expect, test } from 'vitest'
import { parseProject } from '@/packages/cli/src/apply/project-file.ts'
import { signature, webhookSecret } from '@/server/alerts/message.ts'
import { NamedBlocks } from './document-blocks.mjs'

const documented = new NamedBlocks(import.meta.filename)
afterAll(() => {
  expect(documented.listLeft()).toEqual([])
})

const take = (page: string, word: string) =>
  documented.take(`docs/how-to/${page}.md`, { [word]: word })

test('the config that extends a base is stricter than it, and a larger limit is refused', () => {
  const page = 'extend-a-base'
  const text = take(page, '"key": "coder"')
  const base: ConfigDocument = JSON.parse(take(page, '"key": "base"'))
  expect(inheritConfig(base, JSON.parse(text)).looser).toEqual([])
  const larger = JSON.parse(text.replace('"max_calls": 1', '"max_calls": 9'))
  expect(inheritConfig(base, larger).looser).toMatchObject([{ pointer: '/policies/0/max_calls' }])
})

test('the file of "signalbox apply" can be used', () => {
  const text = take('apply-a-project', '"project_version"')
  const project = parseProject({ file: 'project.json', text, env: {} })
  expect(project.keys).toMatchObject([{ name: 'agents', environment: 'dev' }])
})

test('the receiver of a webhook stream accepts what the server signs, and nothing else', async () => {
  const code = take('stream-to-a-webhook', 'isSigned')
  const { isSigned } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  const secret = webhookSecret('of the server', 'whs_1')
  const at = Math.floor(Date.now() / 1000)
  const sign = (sentAt: number) => ({
    'webhook-id': 'whs_1.1',
    'webhook-timestamp': String(sentAt),
    'webhook-signature': signature(secret, { id: 'whs_1.1', at: sentAt, body: '{}' }),
  })
  expect(isSigned(secret, sign(at), '{}')).toBe(true)
  expect(isSigned(secret, sign(at), '{ }')).toBe(false)
  expect(isSigned(webhookSecret('of another', 'whs_1'), sign(at), '{}')).toBe(false)
  expect(isSigned(secret, sign(at - 3_600), '{}')).toBe(false)
  expect(isSigned(secret, {}, '{}')).toBe(false)
})
