import { createHash } from 'node:crypto'
import { strToU8, zipSync } from 'fflate'

export function winkArchive(bundleId = 'b-1', tool = 'deploy'): Uint8Array {
  const time = (second: number) => `2026-01-15T10:30:0${second}+00:00`
  const item_type = 'weakincentives.runtime.events.types:ToolInvoked'
  const items = [
    { name: tool, params: {}, result: { success: false }, created_at: time(3), call_id: 'c1' },
  ]
  const after = strToU8(JSON.stringify({ version: '1', slices: [{ item_type, items }] }))
  const manifest = {
    format_version: '1.0.0',
    bundle_id: bundleId,
    created_at: time(9),
    request: {
      request_id: 'r-1',
      session_id: 's-1',
      status: 'success',
      started_at: time(0),
      ended_at: time(8),
    },
    prompt: { ns: 'examples/code-review', key: 'main', adapter: 'openai' },
    integrity: {
      algorithm: 'sha256',
      checksums: { 'session/after.jsonl': createHash('sha256').update(after).digest('hex') },
    },
  }
  return zipSync({
    'debug_bundle/manifest.json': strToU8(JSON.stringify(manifest)),
    'debug_bundle/session/after.jsonl': after,
  })
}
