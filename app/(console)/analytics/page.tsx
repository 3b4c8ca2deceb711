import { redirect } from 'next/navigation'

export default async function Page({
  searchParams,
}: {
  readonly searchParams: Promise<Readonly<Record<string, string | string[]>>>
}) {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(await searchParams)) {
    for (const one of [value].flat()) query.append(name, one)
  }
  redirect(query.size === 0 ? '/analytics/denials' : `/analytics/denials?${query}`)
}
