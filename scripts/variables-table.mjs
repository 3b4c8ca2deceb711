// @ts-check
// node scripts/variables-table.mjs: writes the table of environment variables into docs/operations/configure.md.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '../server/platform/base/variables.mjs'
import { ROOT } from './build-steps.mjs'

const PAGE = path.join(ROOT, 'docs/operations/configure.md')
const [BEGIN, END] = ['<!-- variables -->\n', '<!-- /variables -->']

function table() {
  const rows = variables().map(
    ({ name, about, must, fallback = '', secret }) =>
      `| \`${name}\`${secret === true ? ' (secret)' : ''} | ${about} | ${must} | ${fallback} |\n`,
  )
  return `| Variable | Meaning | Must be | When it is not set |\n|---|---|---|---|\n${rows.join('')}`
}

export function pages() {
  const written = fs.readFileSync(PAGE, 'utf8')
  const [before = '', rest = ''] = written.split(BEGIN)
  const after = rest.slice(rest.indexOf(END))
  return { written, wanted: `${before}${BEGIN}${table()}${after}` }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) fs.writeFileSync(PAGE, pages().wanted)
