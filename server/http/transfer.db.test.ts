import { beforeAll, expect, test } from 'vitest'
import { withTestDatabase } from '../db/test-database.ts'
import { env } from '../env.ts'
import { installed, otherProject, type TestProject } from '../test/installation.ts'
import { newPerson } from '../test/tenant.ts'
import { handleExportConfigs, handleImportConfigs } from './transfer.ts'

withTestDatabase()

let from: TestProject
let to: TestProject

beforeAll(async () => {
  from = await installed()
  to = await otherProject()
})

async function exported(): Promise<{ configs: { key: string; versions: { text: string }[] }[] }> {
  const { headers } = await newPerson(from, 'viewer')
  const response = await handleExportConfigs(new Request('http://127.0.0.1:3000/', { headers }))
  expect(response.headers.get('content-disposition')).toContain('signalbox-export.json')
  return await response.json()
}

async function imported(
  { headers }: { readonly headers: Headers },
  body: object,
  origin: string = env().SIGNALBOX_URL,
) {
  const response = await handleImportConfigs(
    new Request('http://127.0.0.1:3000/', {
      method: 'POST',
      headers: new Headers([...headers, ['origin', origin]]),
      body: JSON.stringify(body),
    }),
  )
  return { status: response.status, answer: await response.json() }
}

test('what a viewer exports, a publisher of another project takes in, after being told what would happen', async () => {
  const document = await exported()
  const publisher = await newPerson(to, 'publisher')
  const planned = await imported(publisher, { document })
  expect(planned).toMatchObject({
    status: 200,
    answer: { applied: false, configs: [{ key: 'release-notes', action: 'create' }] },
  })
  const done = await imported(publisher, { document, dry_run: false })
  expect(done).toMatchObject({ status: 200, answer: { applied: true } })
  expect(done.answer.releases_missing).toMatchObject([
    { environment: 'dev', version: 1, live: null },
  ])
  const again = await imported(publisher, { document, dry_run: false })
  expect(again.answer.configs).toMatchObject([{ action: 'unchanged' }])
})

test('an import is refused to an editor, to another site, and with the place that is wrong', async () => {
  const document = await exported()
  const editor = await imported(await newPerson(to, 'editor'), { document, dry_run: false })
  expect(editor).toMatchObject({
    status: 403,
    answer: { detail: expect.stringContaining('release.publish') },
  })
  const publisher = await newPerson(to, 'publisher')
  const elsewhere = await imported(publisher, { document, dry_run: false }, 'https://evil.example')
  expect(elsewhere.status).toBe(403)
  const broken = await imported(publisher, { document: { ...document, configs: [{ ns: 'a' }] } })
  expect(broken).toMatchObject({ status: 422 })
  expect(broken.answer.errors[0].pointer).toMatch(/^\/document\/configs\/0\//)
})
