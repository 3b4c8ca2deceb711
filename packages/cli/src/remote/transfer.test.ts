import fs from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import type { ExportV1 } from '@signalbox/wire'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { run } from '../index.ts'
import { makeSurroundings, recordIo } from '../test/command-parts.ts'

const VERSION = {
  digest: `sha256:${'0'.repeat(64)}`,
  text: '{}',
  note: null,
  author: null,
  created_at: 1_767_225_600_000,
}
const EXPORT: ExportV1 = {
  export_version: 1,
  project: 'Shop',
  exported_at: 1_767_225_600_000,
  environments: [],
  configs: [
    {
      ns: 'team',
      key: 'agent',
      archived: false,
      versions: [
        { number: 1, ...VERSION },
        { number: 2, ...VERSION },
      ],
      live: [],
    },
  ],
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'signalbox-transfer-'))
const WHY = 'This API key lacks the scope "ingest".'
const REFUSAL = {
  ...{ type: 'about:blank', status: 403, title: 'Forbidden', detail: WHY },
  errors: [{ pointer: '/scopes', detail: WHY }],
}
const server = http.createServer(({ url: asked }, response) => {
  const isRefused = asked?.endsWith('cases=true') === true
  response.writeHead(isRefused ? 403 : 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(isRefused ? REFUSAL : EXPORT))
})
let url = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on a port has an address with a port.
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

async function exported(...words: readonly string[]) {
  const { io, out, err } = recordIo()
  const env = { SIGNALBOX_URL: url, SIGNALBOX_API_KEY: 'sbx_test' }
  const around = makeSurroundings({ env, cwd: folder, home: folder })
  return { code: await run(['export', ...words], io, around), out, err }
}

it('a refusal of one field is printed once, with the field', async () => {
  const { code, err } = await exported('--cases', 'export.json')
  expect([code, err]).toEqual([2, [`GET /export?cases=true: /scopes: ${WHY}`]])
})

const FILE = path.join(folder, 'all.json')

describe('the export command', () => {
  it('writes the file and prints its counts in one sentence', async () => {
    expect(await exported('all.json')).toMatchObject({
      code: 0,
      out: [`${FILE}: 1 config with 2 versions`],
    })
    expect(JSON.parse(fs.readFileSync(FILE, 'utf8'))).toEqual(EXPORT)
  })

  it('prints one JSON object with --json', async () => {
    const { code, out } = await exported('all.json', '--json')
    expect(code).toBe(0)
    expect(out.map((line) => JSON.parse(line))).toEqual([
      {
        ok: true,
        file: FILE,
        configs: [{ ns: 'team', key: 'agent', result: 'exported', versions: 2, cases: 0 }],
      },
    ])
  })

  it('prints the export itself to standard output, even with --json', async () => {
    for (const words of [['-'], ['-', '--json']]) {
      const { out } = await exported(...words)
      expect(JSON.parse(out.join('\n'))).toEqual(EXPORT)
    }
  })
})
