// For steps that a test does not perform in the browser.
import { expect, type Page } from '@playwright/test'
import { ORIGIN } from './product.ts'

type Requester = Pick<Page, 'request'>

/** Rejects with the server's message. The caller knows the procedure, and therefore the type of its answer. */
export async function call<Answer = unknown>(
  page: Requester,
  procedure: string,
  input: object,
): Promise<Answer> {
  const answer = await page.request.post(`/api/trpc/${procedure}`, {
    headers: { origin: ORIGIN },
    data: input,
  })
  expect(answer.ok(), `${procedure}: ${await answer.text()}`).toBe(true)
  return (await answer.json()).result.data
}

export async function read<Answer = unknown>(
  page: Requester,
  procedure: string,
  input: object,
): Promise<Answer> {
  const query = encodeURIComponent(JSON.stringify(input))
  const answer = await page.request.get(`/api/trpc/${procedure}?input=${query}`)
  expect(answer.ok(), `${procedure}: ${await answer.text()}`).toBe(true)
  return (await answer.json()).result.data
}

export interface SeenDraft {
  readonly id: string
  readonly revision: number
}

interface Prompt {
  readonly ns: string
  readonly key: string
}

export async function openDraft(page: Requester, prompt: Prompt): Promise<SeenDraft> {
  const { ns, key } = prompt
  const { draft } = await read<{ readonly draft: SeenDraft }>(page, 'drafts.open', { ns, key })
  return { id: draft.id, revision: draft.revision }
}

export async function publishFirst(
  page: Requester,
  { ns, key }: Prompt,
  { text, note }: { readonly text: string; readonly note?: string },
): Promise<void> {
  await call(page, 'configs.create', { ns, key, text })
  const { id: draftId, revision } = await openDraft(page, { ns, key })
  const published = { ns, key, draftId, revision, note, environment: 'dev' }
  expect(await call(page, 'releases.publish', published)).toMatchObject({ ok: true })
}
