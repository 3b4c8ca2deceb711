// An address without a page gets the 404 inside the console's frame.
import { notFound } from 'next/navigation'

export default function UnknownPage() {
  notFound()
}
