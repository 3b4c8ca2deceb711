// Permanent address of an event: opens it in its session.
import { parseEventId } from '@signalbox/wire'
import { notFound, redirect } from 'next/navigation'

export default async function Page({
  params,
}: {
  readonly params: Promise<{ readonly eventId: string }>
}) {
  const place = parseEventId((await params).eventId)
  if (place === null) notFound()
  redirect(`/sessions/${place.session}?e=${place.seq}`)
}
