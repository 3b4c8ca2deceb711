import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openSecrets } from '@/scripts/secrets.mjs'
import { env } from '../base/env.ts'
import { readSealed, resealSecrets } from './sealed-secrets.mjs'
import { withTestDatabase } from './test-database.ts'

const [SECRET, OTHER] = ['s'.repeat(32), 'o'.repeat(32)]
const AUTH = { SIGNALBOX_AUTH_SECRET: 'a'.repeat(32) }

function folder(): string {
  const made = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-secrets-'))
  onTestFinished(() => fs.rmSync(made, { recursive: true }))
  return made
}

withTestDatabase()

async function replicas(): Promise<readonly [pg.Client, pg.Client]> {
  const { DATABASE_URL: connectionString } = env()
  const clients = [
    new pg.Client({ connectionString }),
    new pg.Client({ connectionString }),
  ] as const
  for (const client of clients) await client.connect()
  await clients[0].query('TRUNCATE sealed_secrets')
  onTestFinished(async () => {
    for (const client of clients) await client.end()
  })
  return clients
}

const sealedBy = (secret: string, more: Readonly<Record<string, string>> = {}) => ({
  variables: { SIGNALBOX_SECRET: secret, ...more },
  folder: folder(),
})

test('replicas that start together for the first time hold the same secrets and write no file', async () => {
  const [a, b] = await replicas()
  const [one, other] = [sealedBy(SECRET), sealedBy(SECRET)]
  const [held, alsoHeld] = await Promise.all([openSecrets(a, one), openSecrets(b, other)])
  expect(alsoHeld).toEqual(held)
  expect(Object.keys(held).sort()).toEqual([
    'SIGNALBOX_AUTH_SECRET',
    'SIGNALBOX_DEMO_KEY',
    'SIGNALBOX_SETUP_TOKEN',
    'SIGNALBOX_SIGNING_KEY',
  ])
  expect([...fs.readdirSync(one.folder), ...fs.readdirSync(other.folder)]).toEqual([])
  const { rows } = await a.query<{ sealed: string }>('SELECT sealed FROM sealed_secrets')
  expect(rows).toHaveLength(1)
  for (const value of Object.values(held)) expect(rows[0]?.sealed).not.toContain(value)
})

test('the first start with SIGNALBOX_SECRET seals the secrets of secrets.json', async () => {
  const [a, b] = await replicas()
  const own = folder()
  const filed = await openSecrets(a, { variables: {}, folder: own })
  const variables = { SIGNALBOX_SECRET: SECRET }
  expect(await openSecrets(a, { variables, folder: own })).toEqual(filed)
  expect(await openSecrets(b, sealedBy(SECRET))).toEqual(filed)
})

test('the first start with SIGNALBOX_SECRET seals the secrets of the environment', async () => {
  const [a, b] = await replicas()
  const held = await openSecrets(a, sealedBy(SECRET, AUTH))
  expect(held).toMatchObject(AUTH)
  expect(await openSecrets(b, sealedBy(SECRET))).toEqual(held)
})

test('a first start is refused when its environment and secrets.json differ, and seals nothing', async () => {
  const [a] = await replicas()
  const own = folder()
  await openSecrets(a, { variables: {}, folder: own })
  const variables = { SIGNALBOX_SECRET: SECRET, ...AUTH }
  await expect(openSecrets(a, { variables, folder: own })).rejects.toThrow(
    /^SIGNALBOX_AUTH_SECRET of the environment and .*secrets\.json differ\./,
  )
  expect((await a.query('SELECT 1 FROM sealed_secrets')).rowCount).toBe(0)
})

test('a wrong secret, a missing secret and a differing variable are each refused with one sentence', async () => {
  const [a] = await replicas()
  await openSecrets(a, sealedBy(SECRET))
  await expect(openSecrets(a, sealedBy(OTHER))).rejects.toThrow(
    /^SIGNALBOX_SECRET is not the secret/,
  )
  await expect(openSecrets(a, { variables: {}, folder: folder() })).rejects.toThrow(
    /^The secrets of this installation are sealed in its database\. Set SIGNALBOX_SECRET/,
  )
  await expect(openSecrets(a, sealedBy(SECRET, AUTH))).rejects.toThrow(
    /^SIGNALBOX_AUTH_SECRET of the environment and the secrets that are sealed in the database differ\./,
  )
})

test('a differing secrets.json is refused, and no new secrets are created for a used database', async () => {
  const [a] = await replicas()
  const other = folder()
  const lost = { variables: {}, folder: folder() }
  await openSecrets(a, { variables: {}, folder: other })
  await openSecrets(a, sealedBy(SECRET))
  await expect(
    openSecrets(a, { variables: { SIGNALBOX_SECRET: SECRET }, folder: other }),
  ).rejects.toThrow(/^SIGNALBOX_AUTH_SECRET of .*secrets\.json and the secrets that are sealed/)
  await a.query("INSERT INTO projects (id, slug, name) VALUES ('prj_used', 'used', 'Used')")
  onTestFinished(async () => {
    await a.query("DELETE FROM projects WHERE id = 'prj_used'")
  })
  await a.query('TRUNCATE sealed_secrets')
  for (const without of [lost, sealedBy(SECRET)])
    await expect(openSecrets(a, without)).rejects.toThrow(/whose secrets are missing\. Restore/)
  expect([fs.readdirSync(lost.folder), await readSealed(a)]).toEqual([[], null])
})

test('a rotation seals the same secrets with another secret, once when two run concurrently', async () => {
  const [a, b] = await replicas()
  const held = await openSecrets(a, sealedBy(SECRET))
  const rotation = { from: SECRET, to: OTHER }
  const done = await Promise.allSettled([resealSecrets(a, rotation), resealSecrets(b, rotation)])
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await openSecrets(b, sealedBy(OTHER))).toEqual(held)
  await expect(openSecrets(b, sealedBy(SECRET))).rejects.toThrow(/^SIGNALBOX_SECRET is not/)
})

test('the environment takes precedence over secrets.json, and no file is written when it has every secret', async () => {
  const [a] = await replicas()
  const own = folder()
  const filed = await openSecrets(a, { variables: {}, folder: own })
  expect(await openSecrets(a, { variables: AUTH, folder: own })).toEqual({ ...filed, ...AUTH })
  const { SIGNALBOX_DEMO_KEY: _, ...needed } = filed
  const empty = folder()
  expect(await openSecrets(a, { variables: needed, folder: empty })).toEqual(needed)
  expect(fs.readdirSync(empty)).toEqual([])
})
