import fs from 'node:fs'
import { plural } from '@signalbox/core/analysis'
import { ExportV1, ImportAnswer } from '@signalbox/wire'
import { requireForm } from '../base/checked-json.ts'
import { EXIT, type Io, Unusable } from '../base/io.ts'
import { printable } from '../base/printable.ts'
import type { ControlPlane } from './control-plane.ts'
import { parsedJson } from './folder.ts'

/** With `cases`, the file contains recorded events, so only the caller can read it. */
export async function exportTo(
  plane: ControlPlane,
  io: Io,
  { file, cases, json }: { readonly file: string; readonly cases: boolean; readonly json: boolean },
): Promise<number> {
  const route = cases ? '/export?cases=true' : '/export'
  const document = await plane.need({ path: route, schema: ExportV1 })
  const text = `${JSON.stringify(document, null, 2)}\n`
  if (file === '-') {
    io.out(text.trimEnd())
    return EXIT.clean
  }
  fs.writeFileSync(file, text, cases ? { mode: 0o600 } : {})
  if (json) {
    const configs = document.configs.map(({ ns, key, versions, cases: pinned = [] }) => {
      const counts = { versions: versions.length, cases: pinned.length }
      return { ns, key, result: 'exported', ...counts }
    })
    io.out(JSON.stringify({ ok: true, file, configs }))
    return EXIT.clean
  }
  const pinned = document.configs.reduce((sum, config) => sum + (config.cases?.length ?? 0), 0)
  const versions = document.configs.reduce((sum, config) => sum + config.versions.length, 0)
  const summary = `${file}: ${plural(document.configs.length, 'config')} with ${plural(versions, 'version')}`
  io.out(printable(cases ? `${summary} and ${plural(pinned, 'pinned case')}` : summary))
  return EXIT.clean
}

function readExport(file: string): ExportV1 {
  let text: string
  try {
    text = fs.readFileSync(file, 'utf8')
  } catch (error) {
    throw new Unusable(`${file} cannot be read: ${error instanceof Error ? error.message : error}`)
  }
  return requireForm(ExportV1, `${file} is not a version 1 export: `, parsedJson(text))
}

/** Without `yes`, changes nothing. Exit code 1: a config conflicts. */
export async function importFrom(
  plane: ControlPlane,
  io: Io,
  { file, yes, json }: { readonly file: string; readonly yes: boolean; readonly json: boolean },
): Promise<number> {
  const body = { dry_run: true, document: readExport(file) }
  const ask = { method: 'POST', path: '/import', schema: ImportAnswer } as const
  const plan = await plane.need({ ...ask, body })
  const isRefused = plan.configs.some(({ action }) => action === 'conflict')
  const answer =
    yes && !isRefused ? await plane.need({ ...ask, body: { ...body, dry_run: false } }) : plan
  if (json) io.out(JSON.stringify(answer))
  else printPlan(io, answer)
  return isRefused ? EXIT.findings : EXIT.clean
}

function printPlan(io: Io, { applied, configs, releases_missing: missing }: ImportAnswer): void {
  for (const { ns, key, action, detail } of configs) {
    const sign = { create: '+', add_versions: '+', add_cases: '+', unchanged: '=', conflict: '!' }[
      action
    ]
    io.out(printable(`${sign} ${ns}/${key}: ${detail}`))
  }
  for (const release of missing) {
    const { ns, key, environment, version, live, environment_exists: exists } = release
    const now = live === null ? 'nothing' : `v${live}`
    const then = exists
      ? `runs ${now}, the file has v${version}: promote or publish it when you are ready`
      : 'does not exist here: create it in Settings, Environments'
    io.out(printable(`  ${ns}/${key}: ${environment} ${then}`))
  }
  const isRefused = configs.some(({ action }) => action === 'conflict')
  if (isRefused) io.out('Nothing was imported: conflicts are marked with "!".')
  else
    io.out(applied ? 'Imported.' : 'Nothing was imported yet. Run again with --yes to import this.')
}
