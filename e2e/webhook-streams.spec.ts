// A stream from its form to a real receiver: retried with the reason on the page, then signed records in order, a test, the secret, removal.
import { createHmac } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from '@playwright/test'
import { barriersIn } from './barriers.ts'
import { collectProblems } from './page-problems.ts'
import { test } from './test.ts'

interface Received {
  readonly headers: http.IncomingHttpHeaders
  readonly body: string
}

const received: Received[] = []
let status = 500
const receiver = http.createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => {
    body += chunk.toString()
  })
  request.on('end', () => {
    received.push({ headers: request.headers, body })
    response.writeHead(status).end()
  })
})

test.beforeAll(
  () =>
    new Promise<void>((resolve) => {
      receiver.listen(0, '127.0.0.1', resolve)
    }),
)
test.afterAll(() => {
  receiver.close()
})

test('a webhook stream is created, retried with its reason, accepted in order, and removed by its name', {
  tag: '@soak',
}, async ({ page }) => {
  const problems = collectProblems(page)
  await page.goto('/settings/webhook-streams')
  await expect(page.getByText('No webhook streams yet.')).toBeVisible()
  await page.getByRole('button', { name: 'New stream' }).click()
  const dialog = page.getByRole('dialog', { name: 'New webhook stream' })
  await dialog.getByLabel('Name').fill('Archive')
  await dialog.getByRole('button', { name: 'Create stream' }).click()
  await expect(dialog.getByText('Give an address that begins with https://.')).toBeVisible()
  const { port } = receiver.address() as AddressInfo
  await dialog.getByLabel('Address').fill(`http://127.0.0.1:${port}/secret-path`)
  await dialog.getByLabel('Audit log of the project').uncheck()
  await dialog.getByRole('button', { name: 'Create stream' }).click()
  await expect(dialog.getByText('Choose the audit log, decisions, or both.')).toBeVisible()
  await dialog.getByLabel('Audit log of the project').check()
  await dialog.getByLabel('Denied calls and stops').check()
  await expect(dialog.getByRole('combobox', { name: 'Decisions of' })).toBeVisible()
  expect(await barriersIn(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Create stream' }).click()
  const row = page.getByRole('list', { name: 'Webhook streams' }).getByRole('listitem')
  await expect(row).toContainText(`127.0.0.1:${port}`)
  await expect(row).toContainText('Sends the audit log, and denied calls and stops of every')
  await expect(row).not.toContainText('secret-path')
  await expect(row.getByText('retrying')).toBeVisible()
  await expect(row).toContainText('answered 500')
  expect(await barriersIn(page)).toEqual([])

  status = 204
  await expect(row.getByText('arrived', { exact: true })).toBeVisible({ timeout: 60_000 })
  await expect(row).toContainText('1 record accepted.')
  await row.getByRole('button', { name: 'Send a test' }).click()
  await expect(row.getByText(/The test to 127\.0\.0\.1:\d+ arrived\./)).toBeVisible()
  await row.getByRole('button', { name: 'Show secret' }).click()
  const shown = page.getByRole('dialog', { name: 'Secret of Archive' })
  const secret = (await shown.getByTestId('secret').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  const key = Buffer.from(secret.trim().slice('whsec_'.length), 'base64')
  for (const { headers, body } of received) {
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const signature = createHmac('sha256', key).update(signed).digest('base64')
    expect(headers['webhook-signature']).toBe(`v1,${signature}`)
  }
  await row.getByRole('button', { name: 'Remove…' }).click()
  const confirm = page.getByRole('dialog', { name: 'Remove Archive?' })
  await confirm.getByRole('textbox').fill('Archive')
  await confirm.getByRole('button', { name: 'Remove stream' }).click()
  await expect(page.getByText('No webhook streams yet.')).toBeVisible()
  expect(problems.filter((problem) => !problem.includes('422'))).toEqual([])
})
