// DOCUMENTS_UPDATE=1 npx vitest run --project unit scripts/document-transcripts.test.ts writes the answers into the documents.
import fs from 'node:fs'
import { describe, expect, test } from 'vitest'
import { configFileProblems, problemLine } from '@/packages/cli/src/base/config-file.ts'
import { IdentityProviders } from '@/server/platform/base/identity-providers.mjs'
import { listAllBlocks } from './document-blocks.mjs'
import { replayTranscript } from './document-transcripts.ts'

const RUN_HERE = ['json', 'transcript']
const all = listAllBlocks()
/** Output is compared where the block that prints it runs, and what a generator writes with its pages. */
const ours = all.filter(({ isShown }) => !isShown)
const jsons = ours.filter(
  ({ language, notRun, by }) => language === 'json' && notRun === null && by === null,
)
const [providers, configs] = [jsons.filter(isList), jsons.filter((block) => !isList(block))]
const transcripts = ours.filter(({ language }) => language === 'transcript')

function isList({ text }: { readonly text: string }): boolean {
  return Array.isArray(JSON.parse(text))
}

async function listProblems(text: string): Promise<readonly string[]> {
  const io = {
    out: () => undefined,
    err: () => undefined,
    readText: async () => text,
    readLines: () => (async function* () {})(),
  }
  return (await configFileProblems(io, 'config.json', [])).map(problemLine)
}

describe('configs of the documentation', () => {
  test.each(configs)('$where has neither errors nor warnings', async ({ text }) => {
    expect(await listProblems(text)).toEqual([])
  })
})

test.each(providers)('$where is a valid OIDC_PROVIDERS_FILE', ({ text }) => {
  expect(IdentityProviders.safeParse(text)).toMatchObject({ success: true })
})

describe('transcripts of the documentation', () => {
  const isUpdate = process.env['DOCUMENTS_UPDATE'] !== undefined
  test.each(transcripts)('$where is what the runtime answers', async ({ file, index, text }) => {
    const config = configs.filter((one) => one.file === file && one.index < index).at(-1)
    const answered = await replayTranscript(config?.text ?? '', text)
    if (isUpdate) {
      const whole = fs.readFileSync(file, 'utf8')
      fs.writeFileSync(
        file,
        whole.replace(`\`\`\`transcript\n${text}`, `\`\`\`transcript\n${answered}`),
      )
    } else expect(text).toBe(answered)
  })
})

describe('blocks of the documentation', () => {
  const isRun = ({ language, by, notRun }: (typeof ours)[number]) =>
    notRun === null &&
    (by !== null || RUN_HERE.includes(language) || /^(ts|js|sh|bash|)$/.test(language))
  const left = ours.filter((block) => !isRun(block))

  test('that do not run state a reason', () => {
    for (const { where, notRun } of left) expect(notRun?.length ?? 0, where).toBeGreaterThan(10)
  })

  test('that do not run are at most a tenth of all', () => {
    const list = left.map(({ where, notRun }) => `${where}: ${notRun}`).join('\n')
    expect(left.length / ours.length, list).toBeLessThanOrEqual(0.1)
  })

  test('that do not run are listed on a page', () => {
    const page = fs.readFileSync('docs/reference/not-run.md', 'utf8')
    for (const { where, notRun } of left) expect(page, where).toContain(notRun)
  })

  // Each test fails when it left out a block that names it.
  const named = new Set(all.flatMap(({ by }) => (by === null ? [] : [by])))
  test.each([...named])('%s takes its commands from the blocks that name it', (test) => {
    const source = fs.readFileSync(test, 'utf8')
    if (test.endsWith('.py')) expect(source).toContain('run: by {Path(__file__)')
    else {
      expect(source).toContain('new NamedBlocks(import.meta.filename)')
      expect(source).toContain('expect(documented.listLeft()).toEqual([])')
    }
  })
})
