import { redirect } from 'next/navigation'

/** Address of the page before it became a tab of Alerts. */
export default function DestinationsPage() {
  redirect('/alerts/destinations')
}
